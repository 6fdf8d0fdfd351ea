// Expects that a call throws podtwin::Error whose text holds every one of the given pieces.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "model/base/diagnostics.hpp"

namespace podtwin::testing_support {

template <class F>
void expectError(const F& call, std::initializer_list<const char*> pieces) {
  try {
    call();
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    for (const char* piece : pieces) EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr(piece));
  }
}

}  // namespace podtwin::testing_support
