#include "session/session.hpp"

#include <utility>

namespace xcuda::session {

Session::Session(SessionParts parts, Commands& commands)
    : parts_(std::move(parts)),
      commands_(commands),
      variables_({[this](std::uint64_t bytes) { return device_.memory().allocate(bytes); },
                  [this](device::Address address) { device_.memory().free(address); },
                  [this](device::StreamId stream, const device::CopyRequest& request) {
                    submission_.copy_variable(stream, request);
                  }}),
      submission_({device_, variables_, launches_, progress_, settings_, interrupt_, host_,
                   [this](const device::Completion& completion) { recovery_.judge(completion); }}),
      code_({parts_, settings_, current_, progress_, device_, submission_, variables_}),
      arrays_({device_, submission_, streams_, textures_, names_}),
      recovery_({device_, submission_, launches_, variables_, code_.modules(), arrays_, textures_, streams_,
                 operations_, code_.functions().modules()}) {}

Session::~Session() { streams_.graphs().clear(); }  // while all that they use is there

void Session::wake() {
  host_.begin_cell();
  launches_.begin_cell();
  recovery_.wake();
  constexpr std::size_t kMostOperations = 512;  // modules of the session's own kernels that stay loaded
  if (operations_.size() > kMostOperations) operations_.drop();
  if (host_.operations().size() > kMostOperations) host_.clear();
}

void Session::reset() {
  streams_.graphs().clear();
  operations_.drop();
  host_.clear();
  code_.clear();
  arrays_.clear();
  names_.clear();
  textures_.forget_uses();
  streams_.clear();
  seed_ = kFirstSeed;
  for (auto& entry : history_) entry.outcome = HistoryEntry::Outcome::undone;
}

std::string Sink::ask(const Question&) {
  throw Error(ErrorKind::unsupported, "input() has nobody to ask here")
      .advise("A notebook that runs unattended (nbconvert, papermill) must set the value in a cell.");
}

}  // namespace xcuda::session
