#include "cell/records/standard_exceptions.hpp"

#include <algorithm>
#include <map>

namespace xcuda::cell {

const std::vector<StandardException>& standard_exceptions() {
  static const std::vector<StandardException> kRows = {
      {"exception", "", "std::exception"},
      {"bad_exception", "exception", "std::bad_exception"},
      {"bad_alloc", "exception", "std::bad_alloc"},
      {"bad_array_new_length", "bad_alloc", "std::bad_array_new_length"},
      {"bad_cast", "exception", "std::bad_cast"},
      {"bad_typeid", "exception", "std::bad_typeid"},
      {"bad_function_call", "exception", "bad_function_call"},
      {"bad_optional_access", "exception", "bad optional access"},
      {"bad_variant_access", "exception", "bad variant access"},
      {"bad_weak_ptr", "exception", "bad_weak_ptr"},
      {"logic_error", "exception", ""},
      {"domain_error", "logic_error", ""},
      {"invalid_argument", "logic_error", ""},
      {"length_error", "logic_error", ""},
      {"out_of_range", "logic_error", ""},
      {"runtime_error", "exception", ""},
      {"overflow_error", "runtime_error", ""},
      {"range_error", "runtime_error", ""},
      {"underflow_error", "runtime_error", ""},
  };
  return kRows;
}

bool is_standard_exception(std::string_view word) {
  const auto& rows = standard_exceptions();
  return std::any_of(rows.begin(), rows.end(), [&](const StandardException& row) { return row.name == word; });
}

RecordPtr standard_exception(std::string_view name) {
  static const auto kRecords = [] {
    std::map<std::string, RecordPtr, std::less<>> records;
    for (const auto& row : standard_exceptions()) {
      auto record = std::make_shared<Record>();
      record->name = "std::" + std::string(row.name);
      record->functions = {"what"};
      if (!row.base.empty()) {
        const auto& base = *records.at("std::" + std::string(row.base));
        record->bases = {base.name};
        record->bases.insert(record->bases.end(), base.bases.begin(), base.bases.end());
      }
      if (row.text.empty()) {
        record->layout = "std::string what";
        record->parts.push_back({std::string(kWhat), "std::string", {}, false, true, {}});
      }
      records.emplace(record->name, std::move(record));
    }
    return records;
  }();
  const auto found = kRecords.find(name);
  return found == kRecords.end() ? nullptr : found->second;
}

}  // namespace xcuda::cell
