#include "data/results/hdf5_handle.hpp"

#include <algorithm>
#include <cstring>

namespace podtwin::data::h5 {

namespace {

herr_t takeInnermost(unsigned depth, const H5E_error2_t* error, void* out) {
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
  return 0;
}

/// The library words a system error as "..., error message = 'No space left on device', buf = 0x..."; keep that part.
std::string shortened(const std::string& message) {
  const std::string key = "error message = '";
  const auto from = message.find(key);
  if (from == std::string::npos) return message;
  const auto start = from + key.size();
  return message.substr(start, message.find('\'', start) - start);
}

template <class T>
void writeNumber(hid_t object, const char* name, hid_t type, T value) {
  const Space scalar(check(H5Screate(H5S_SCALAR), "create a scalar"));
  const Attribute attribute(
      check(H5Acreate2(object, name, type, scalar, H5P_DEFAULT, H5P_DEFAULT), std::string("create attribute ") + name));
  check(H5Awrite(attribute, type, &value), std::string("write attribute ") + name);
}

/// Creation properties without times: files of equal runs must be equal bytes.
Properties datasetProperties() {
  Properties properties(check(H5Pcreate(H5P_DATASET_CREATE), "create dataset properties"));
  check(H5Pset_obj_track_times(properties, false), "switch object times off");
  return properties;
}

/// Frees what the library allocated for variable-length texts, whatever happens on the way.
class TextBuffer {
 public:
  TextBuffer(hid_t type, hid_t space, std::size_t count) : type_(type), space_(space), data_(count, nullptr) {}
  ~TextBuffer() {
    if (!data_.empty()) H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, data_.data());
  }
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;
  char** data() { return data_.data(); }
  std::string text(std::size_t i) const { return data_[i] == nullptr ? std::string() : std::string(data_[i]); }

 private:
  hid_t type_;
  hid_t space_;
  std::vector<char*> data_;
};

}  // namespace

void fail(const std::string& doing) {
  std::string why;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, takeInnermost, &why);
  H5Eclear2(H5E_DEFAULT);
  throw Failure("cannot " + doing + (why.empty() ? "" : ": " + shortened(why)));
}

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

Type textType() {
  Type type(check(H5Tcopy(H5T_C_S1), "make the text type"));
  check(H5Tset_size(type, H5T_VARIABLE), "make the text type");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "make the text type");
  return type;
}

const char* wholeText(const std::string& text, const std::string& what) {
  if (text.find('\0') != std::string::npos) throw Failure("cannot write " + what + ": the text holds a NUL byte");
  return text.c_str();
}

void writeAttribute(hid_t object, const char* name, const std::string& value) {
  const Type type = textType();
  const Space scalar(check(H5Screate(H5S_SCALAR), "create a scalar"));
  const Attribute attribute(
      check(H5Acreate2(object, name, type, scalar, H5P_DEFAULT, H5P_DEFAULT), std::string("create attribute ") + name));
  const char* data = wholeText(value, std::string("attribute ") + name);
  check(H5Awrite(attribute, type, &data), std::string("write attribute ") + name);
}

void writeAttribute(hid_t object, const char* name, double value) {
  writeNumber(object, name, H5T_NATIVE_DOUBLE, value);
}
void writeAttribute(hid_t object, const char* name, float value) { writeNumber(object, name, H5T_NATIVE_FLOAT, value); }
void writeAttribute(hid_t object, const char* name, std::int32_t value) {
  writeNumber(object, name, H5T_NATIVE_INT32, value);
}

bool hasAttribute(hid_t object, const char* name) {
  return check(H5Aexists(object, name), std::string("look for attribute ") + name) > 0;
}

std::string readTextAttribute(hid_t object, const char* name) {
  const std::string doing = std::string("read attribute ") + name;
  const Attribute attribute(check(H5Aopen(object, name, H5P_DEFAULT), doing));
  const Type stored(check(H5Aget_type(attribute), doing));
  if (H5Tget_class(stored) != H5T_STRING) throw Failure("cannot " + doing + ": it is no text");
  const Space space(check(H5Aget_space(attribute), doing));
  if (H5Sget_simple_extent_npoints(space) != 1) throw Failure("cannot " + doing + ": it is no single text");
  if (check(H5Tis_variable_str(stored), doing) > 0) {
    const Type type = textType();
    TextBuffer buffer(type, space, 1);
    check(H5Aread(attribute, type, buffer.data()), doing);
    return buffer.text(0);
  }
  std::string text(H5Tget_size(stored), '\0');
  check(H5Aread(attribute, stored, text.data()), doing);
  return text.substr(0, std::strlen(text.c_str()));
}

double readNumberAttribute(hid_t object, const char* name) {
  const std::string doing = std::string("read attribute ") + name;
  const Attribute attribute(check(H5Aopen(object, name, H5P_DEFAULT), doing));
  const Space space(check(H5Aget_space(attribute), doing));
  if (H5Sget_simple_extent_npoints(space) != 1) throw Failure("cannot " + doing + ": it is no single number");
  double value = 0.0;
  check(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), doing);
  return value;
}

Group createGroup(hid_t parent, const std::string& name) {
  const Properties properties(check(H5Pcreate(H5P_GROUP_CREATE), "create group properties"));
  check(H5Pset_obj_track_times(properties, false), "switch object times off");
  return Group(check(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), "create group " + name));
}

Group openGroup(hid_t parent, const std::string& name) {
  return Group(check(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), "open group " + name));
}

Dataset openDataset(hid_t parent, const std::string& name) {
  return Dataset(check(H5Dopen2(parent, name.c_str(), H5P_DEFAULT), "open dataset " + name));
}

bool exists(hid_t parent, const std::string& name) {
  return check(H5Lexists(parent, name.c_str(), H5P_DEFAULT), "look for " + name) > 0;
}

std::vector<std::string> linkNames(hid_t group) {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  hsize_t position = 0;
  check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &position, take, &names), "list a group");
  return names;
}

void writeText(hid_t parent, const std::string& name, const std::string& text, const std::string& long_name) {
  const Type type = textType();
  const Space scalar(check(H5Screate(H5S_SCALAR), "create a scalar"));
  const Properties properties = datasetProperties();
  const Dataset dataset(check(H5Dcreate2(parent, name.c_str(), type, scalar, H5P_DEFAULT, properties, H5P_DEFAULT),
                              "create dataset " + name));
  const char* data = wholeText(text, name);
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &data), "write dataset " + name);
  writeAttribute(dataset, "units", "1");
  writeAttribute(dataset, "long_name", long_name);
}

Dataset writeTexts(hid_t parent, const std::string& name, const std::vector<std::string>& texts,
                   const std::string& long_name) {
  const Type type = textType();
  const hsize_t count = texts.size();
  const Space space(check(H5Screate_simple(1, &count, nullptr), "create a space"));
  const Properties properties = datasetProperties();
  Dataset dataset(check(H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                        "create dataset " + name));
  if (!texts.empty()) {
    std::vector<const char*> data;
    data.reserve(texts.size());
    for (const auto& text : texts) data.push_back(wholeText(text, name));
    check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()), "write dataset " + name);
  }
  writeAttribute(dataset, "units", "1");
  writeAttribute(dataset, "long_name", long_name);
  return dataset;
}

std::vector<hsize_t> extents(hid_t dataset) {
  const Space space(check(H5Dget_space(dataset), "read the extents of a dataset"));
  const int rank = check(H5Sget_simple_extent_ndims(space), "read the extents of a dataset");
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  if (rank > 0) check(H5Sget_simple_extent_dims(space, sizes.data(), nullptr), "read the extents of a dataset");
  return sizes;
}

std::vector<std::string> readTexts(hid_t parent, const std::string& name) {
  const std::string doing = "read dataset " + name;
  const Dataset dataset = openDataset(parent, name);
  const Type stored(check(H5Dget_type(dataset), doing));
  if (H5Tget_class(stored) != H5T_STRING || check(H5Tis_variable_str(stored), doing) <= 0)
    throw Failure("cannot " + doing + ": it holds no variable-length texts");
  const Space space(check(H5Dget_space(dataset), doing));
  const auto count = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space), doing));
  std::vector<std::string> texts;
  if (count == 0) return texts;
  const Type type = textType();
  TextBuffer buffer(type, space, count);
  check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()), doing);
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) texts.push_back(buffer.text(i));
  return texts;
}

std::string readText(hid_t parent, const std::string& name) {
  const auto texts = readTexts(parent, name);
  if (texts.size() != 1) throw Failure("cannot read dataset " + name + ": it is no single text");
  return texts.front();
}

std::vector<double> readNumbers(hid_t parent, const std::string& name) {
  const std::string doing = "read dataset " + name;
  const Dataset dataset = openDataset(parent, name);
  const Space space(check(H5Dget_space(dataset), doing));
  std::vector<double> values(static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space), doing)));
  if (!values.empty()) check(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), doing);
  return values;
}

}  // namespace podtwin::data::h5
