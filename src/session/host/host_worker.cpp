#include "session/host/host_worker.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "device/transfer.hpp"
#include "session/session.hpp"

namespace xcuda::session {

HostWorker::HostWorker(Session& session, const Current& current)
    : session_(session),
      mirrors_({[this](const device::Region& from, const auto& take) {
                  session_.submission().unhindered_transfer().read(from, take);
                },
                [this](const device::Region& to, const auto& give) {
                  session_.submission().unhindered_transfer().write(to, give);
                }}),
      workspace_(session, current, *this) {}

HostWorker::~HostWorker() = default;

bool HostWorker::wanted() {
  if (state_ == State::refused || !session_.chosen().started()) return false;
  return session_.device_info().kind == device::Kind::cuda || session_.parts().host_code == HostCode::mirrored;
}

bool HostWorker::takes(std::span<const device::Address> memory) {
  if (!wanted()) return false;
  const auto& window = session_.device_info().window;
  // Memory that another process lends is somewhere else.
  const bool inside =
      std::all_of(memory.begin(), memory.end(), [&](auto at) { return at - window.base < window.size; });
  if (!inside) return false;
  if (process_ == nullptr) start();
  if (process_ != nullptr && info_.window.base != window.base) {
    end();
    state_ = State::refused;
  }
  return process_ != nullptr;
}

void HostWorker::start() {
  process_ = session_.chosen().start_host_process();
  if (process_ == nullptr) {
    state_ = State::refused;
    return;
  }
  info_ = process_->info();
  looked_ = true;
  for (const auto& [address, range] : ranges_) process_->post_name_range(range);
}

void HostWorker::name_range(const device::ArrayRange& range) {
  if (!wanted()) return;
  ranges_[range.address] = range;
  if (process_ != nullptr) process_->post_name_range(range);
}

void HostWorker::forget_range(device::Address address) {
  if (ranges_.erase(address) != 0 && process_ != nullptr) process_->post_forget_range(address);
}

void HostWorker::begin_cell() {
  mirrors_.give_back();
  changed_ = true;
  looked_ = false;
}

void HostWorker::clear() {
  if (process_ != nullptr) operations_.drop();
}

void HostWorker::end() {
  clear();
  mirrors_.clear();
  process_.reset();
  ranges_.clear();
  results_bytes_ = 0;
  state_ = State::not_asked;
}

std::vector<std::byte> HostWorker::place_variables(device::ModuleId module,
                                                   const std::vector<device::VariableInfo>& variables) {
  mirrors_.follow(*process_, session_.chosen().memory().pieces());
  return process_->place_variables(module, variables);
}

// At the end of the window, which no array reaches.
device::Address HostWorker::results(std::uint64_t bytes) {
  constexpr device::MemoryId kId{~std::uint32_t{0}};
  const auto& window = info_.window;
  if (bytes > results_bytes_) {
    if (results_bytes_ > 0) process_->destroy_memory(kId);
    results_bytes_ = 0;
    const auto size = arrays::ceil_div(bytes, info_.memory_granularity) * info_.memory_granularity;
    process_->create_memory({kId, window.base + window.size - size, size});
    results_bytes_ = size;
  }
  return window.base + window.size - results_bytes_;
}

std::vector<std::byte> HostWorker::read_results(std::uint64_t bytes) {
  const auto from = info_.window.base + info_.window.size - results_bytes_;
  const auto seen = process_->visible(from, bytes);
  if (!seen.empty()) return {seen.begin(), seen.end()};
  std::vector<std::byte> copy(bytes);
  device::Transfer(*process_).read({from, bytes}, copy);
  return copy;
}

// Another process, which the journal has told all but what it may touch.
void HostWorker::replaced(const device::Recovery& recovery) {
  mirrors_.process_replaced();
  if (!recovery.complete()) end();
}

// One that was killed between two cells is replaced before it is given anything to do.
void HostWorker::prepare() {
  if (!process_->lives()) replaced(process_->restart());
  if (!looked_)
    if (const auto completion = process_->synchronize(session_.submission().wait_request()); completion.recovery)
      replaced(*completion.recovery);
  looked_ = true;
  if (process_ == nullptr)
    throw Error(ErrorKind::device, "the process for host code could not be replaced").advise("Run the cell again.");
}

void HostWorker::run(device::LaunchRequest request, const LaunchSite& site) {
  auto& submission = session_.submission();
  prepare();
  const auto module = request.module;
  const bool has_variables = workspace_.has_variables(module);
  if (has_variables) submission.bring_variables(module, {});
  submission.synchronize();
  mirrors_.follow(*process_, session_.chosen().memory().pieces());
  const bool changed = std::exchange(changed_, false) || submission.changes_ != changes_seen_;
  mirrors_.guard(*process_, changed ? Mirrors::Device::changed : Mirrors::Device::unchanged);
  changes_seen_ = submission.changes_;
  request.number = ++number_;
  process_->post_launch(request);

  submission.time_limit().run();
  auto limits = submission.wait_request();
  std::exception_ptr failure;  // of the session's device, in the middle of an access: that ends the process first
  limits.fetch = [&](device::Address piece, device::Access access) {
    try {
      return mirrors_.fetch(piece, access);
    } catch (const Error&) {
      failure = std::current_exception();
      return device::Touch::refused;
    }
  };
  auto completion = process_->synchronize(limits);
  submission.time_limit().stop();
  try {
    mirrors_.bring_back();
  } catch (const Error&) {  // the device was replaced: what it does not have yet goes to the next one
    if (!failure) failure = std::current_exception();
    mirrors_.bring_back();
  }
  if (has_variables) submission.bring_variables(module, {});  // they count as written now
  if (completion.recovery) replaced(*completion.recovery);
  if (failure) std::rethrow_exception(failure);
  session_.recovery().judge_host(std::move(completion), request.number, site);
}

}  // namespace xcuda::session
