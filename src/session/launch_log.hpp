// The launches since the last synchronisation, so that a fault, a refusal and a time find the line they belong to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "device/device.hpp"
#include "session/device_order.hpp"

namespace xcuda::session {

class Timeline;

// An array that a launch was given, through one parameter.
struct ArrayUse {
  std::string array;
  std::string parameter;
  std::uint64_t bytes = 0;
  bool whole = true;
  bool may_write = false;
  device::Address address = 0;  // where the part begins that it was given
  std::uint64_t id = 0;         // of the array, for what outlives a cell
};

// A launch statement with the arrays it was given. Launches in a loop share one, which outlives a synchronisation
// between them.
struct LaunchSite {
  const void* statement = nullptr;  // its node; identity only
  std::string kernel;
  std::string text;  // "saxpy<<<32768, 512>>>(2.0f, x, y, out, n)"
  Place place;
  std::vector<ArrayUse> uses;
  // Of some blocks of a grid: the first of them, and what they access, which is less than what they were given.
  device::Dim3 first_block{0, 0, 0};
  std::vector<DeviceOrder::Range> reach{};
};
using SharedSite = std::shared_ptr<const LaunchSite>;

class LaunchLog {
 public:
  // The site of a statement with this kernel and these uses; made when the last one of this statement differs.
  SharedSite site(const void* statement, std::string_view kernel, const std::vector<ArrayUse>& uses, const auto& make) {
    for (auto i = sites_.size(); i-- > 0 && sites_.size() - i <= kKeptSites;)
      if (sites_[i]->statement == statement && sites_[i]->kernel == kernel && same(sites_[i]->uses, uses))
        return sites_[i];
    return sites_.emplace_back(std::make_shared<const LaunchSite>(make()));
  }
  // Adds a launch that is posted; returns its number.
  std::uint64_t add(SharedSite site, const device::Dim3& block = {}) {
    records_.push_back({++number_, std::move(site), block});
    return number_;
  }
  const LaunchSite* find(std::uint64_t number) const;
  std::optional<device::Dim3> block_of(
      std::uint64_t number) const;  // nothing for a single thread, a graph and a library
  // Arrays that these launches (all launches if none is named) reach by pointers to non-const, each once.
  std::vector<std::string> possibly_written() const;
  std::vector<std::string> given() const;  // arrays that any launch was given, each once
  bool empty() const { return records_.empty(); }
  void add_timings(const std::vector<device::LaunchTiming>& timings);
  std::vector<device::LaunchTiming> take_timings() { return std::move(timings_); }

  // Calls of libraries are timed while a report wants them.
  struct LibraryCall {
    std::uint64_t number = 0;
    std::string name;  // "matmul(a, b)"
    Place place;
    library::Facts library;
    double operations = 0;  // floating-point
    Scalar type = Scalar::none;
  };
  void report_libraries(std::vector<LibraryCall>* to) { library_calls_ = to; }
  std::vector<LibraryCall>* library_calls() const { return library_calls_; }
  void add_reports(const std::vector<library::Report>& reports) {
    reports_.insert(reports_.end(), reports.begin(), reports.end());
  }
  std::vector<library::Report> take_reports() { return std::exchange(reports_, {}); }

  // Sets the recorder of when work runs; null: none.
  void record(Timeline* to) { timeline_ = to; }
  Timeline* timeline() const { return timeline_; }
  void done() {  // all of them ran
    records_.clear();
    if (sites_.size() > kKeptSites) sites_.erase(sites_.begin(), sites_.end() - std::ptrdiff_t{kKeptSites});
  }
  void begin_cell() { sites_.clear(); }  // statements of other cells may have been in the same memory

 private:
  struct Record {
    std::uint64_t number = 0;
    SharedSite site;
    device::Dim3 block;
  };
  const Record* record_of(std::uint64_t number) const;
  static bool same(const std::vector<ArrayUse>& a, const std::vector<ArrayUse>& b);

  static constexpr std::size_t kKeptSites = 16;
  std::uint64_t number_ = 0;
  std::vector<SharedSite> sites_;
  std::vector<Record> records_;  // by rising number
  std::vector<device::LaunchTiming> timings_;
  std::vector<LibraryCall>* library_calls_ = nullptr;
  std::vector<library::Report> reports_;
  Timeline* timeline_ = nullptr;
};

}  // namespace xcuda::session
