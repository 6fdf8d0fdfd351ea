// Owners of HDF5 identifiers and the few helpers every file of this folder needs. Only data/results includes it.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace podtwin::data::h5 {

/// A call of the HDF5 library failed; callers turn it into an InputError (reading) or SimulationError (writing).
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Failure with `doing` and the innermost message of the library's error stack.
[[noreturn]] void fail(const std::string& doing);

/// Passes an identifier or status on, throws Failure when it is negative.
template <class T>
T check(T result, const std::string& doing) {
  if (result < 0) fail(doing);
  return result;
}

/// Owns one HDF5 identifier and closes it with `Close`.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  operator hid_t() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Closes now and says whether that worked.
  bool reset() {
    if (id_ < 0) return true;
    return Close(std::exchange(id_, H5I_INVALID_HID)) >= 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Attribute = Handle<H5Aclose>;
using Properties = Handle<H5Pclose>;
using Object = Handle<H5Oclose>;

/// Keeps the library from printing its error stack while it lives (the setting belongs to the calling thread).
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Variable-length UTF-8, the type of every text in our files.
Type textType();

/// The text itself; throws Failure when it holds a NUL byte, which HDF5 would cut off silently.
const char* wholeText(const std::string& text, const std::string& what);

void writeAttribute(hid_t object, const char* name, const std::string& value);
void writeAttribute(hid_t object, const char* name, double value);
void writeAttribute(hid_t object, const char* name, float value);
void writeAttribute(hid_t object, const char* name, std::int32_t value);

bool hasAttribute(hid_t object, const char* name);
/// Text of a variable- or fixed-length string attribute.
std::string readTextAttribute(hid_t object, const char* name);
double readNumberAttribute(hid_t object, const char* name);

/// Creates a group, without times.
Group createGroup(hid_t parent, const std::string& name);
Group openGroup(hid_t parent, const std::string& name);
Dataset openDataset(hid_t parent, const std::string& name);
bool exists(hid_t parent, const std::string& name);
/// Names of the links of a group in alphabetical order.
std::vector<std::string> linkNames(hid_t group);

/// Scalar variable-length text.
void writeText(hid_t parent, const std::string& name, const std::string& text, const std::string& long_name);
/// One-dimensional dataset of texts; returned open, for dimension scales.
Dataset writeTexts(hid_t parent, const std::string& name, const std::vector<std::string>& texts,
                   const std::string& long_name);

/// Extents of a dataset, slowest first; empty for a scalar.
std::vector<hsize_t> extents(hid_t dataset);
std::string readText(hid_t parent, const std::string& name);
std::vector<std::string> readTexts(hid_t parent, const std::string& name);
std::vector<double> readNumbers(hid_t parent, const std::string& name);

}  // namespace podtwin::data::h5
