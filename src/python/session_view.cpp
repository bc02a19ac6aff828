#include "python/session_view.hpp"

#include <fmt/format.h>

#include "base/lane_names.hpp"

namespace xcuda::python {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostFiles = 16;  // of a message
constexpr int kMostLevels = 32;         // of structs in structs

// NumPy's code of a scalar.
std::string code_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::none: return {};
    case Scalar::boolean: return "b1";
    case Scalar::int8: return "i1";
    case Scalar::int16: return "i2";
    case Scalar::int32: return "i4";
    case Scalar::int64: return "i8";
    case Scalar::uint8: return "u1";
    case Scalar::uint16: return "u2";
    case Scalar::uint32: return "u4";
    case Scalar::uint64: return "u8";
    case Scalar::float16: return "f2";
    case Scalar::bfloat16: return "bfloat16";
    case Scalar::float32: return "f4";
    case Scalar::float64: return "f8";
    case Scalar::complex64: return "c8";
    case Scalar::complex128: return "c16";
  }
  return {};
}

Json record(const Type& type, Json members) {
  return {{"name", type.name}, {"size", type.size}, {"members", std::move(members)}};
}

Json spec(session::Session& session, const Type& type, int level) {
  const Json shapeless = Json::array();
  if (type.lanes > 1) {
    Json members = Json::array();
    for (int lane = 0; lane < type.lanes; ++lane)
      members.push_back({{"name", lane_name(lane)},
                         {"type", code_of(type.scalar)},
                         {"shape", shapeless},
                         {"offset", static_cast<std::size_t>(lane) * size_of(type.scalar)}});
    return record(type, std::move(members));
  }
  if (type.scalar != Scalar::none) return code_of(type.scalar);
  if (type.name.ends_with('*')) return "u8";
  const auto listed = level < kMostLevels ? session.code().members_of(type) : std::vector<session::StructMember>{};
  if (listed.empty()) return fmt::format("V{}", type.size);  // bytes that only C++ understands
  Json members = Json::array();
  for (const auto& member : listed)
    members.push_back({{"name", member.name},
                       {"type", spec(session, member.type, level + 1)},
                       {"shape", member.shape},
                       {"offset", member.offset}});
  return record(type, std::move(members));
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const auto byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

// Null for what Python has no counterpart of: streams, events, textures.
struct ScalarView {
  session::Session& session;
  Json of(const Type& type, std::span<const std::byte> bytes) const {
    return {{"type", type_spec(session, type)}, {"bytes", hex(bytes)}};
  }
  Json operator()(const language::ScalarValue& number) const {
    std::vector<std::byte> bytes(number.type().size);
    number.store(bytes);
    return of(number.type(), bytes);
  }
  Json operator()(const device::Dim3& dim) const { return of(*find_type("uint3"), std::as_bytes(std::span(&dim, 1))); }
  Json operator()(const session::Object& object) const { return of(object.type, object.bytes); }
  Json operator()(const std::string& text) const { return {{"text", text}}; }
  template <class Other> Json operator()(const Other&) const { return nullptr; }
};

void add_memory(session::Session& session, Client& client, View& view) {
  auto pieces = Json::array();
  auto& known = client.handed_over(session.arrays().lending_epoch());
  std::set<Client::PieceKey> now;
  for (const auto& piece : session.chosen().memory().pieces()) {
    const Client::PieceKey key{static_cast<std::uint32_t>(piece.id), piece.address};
    const bool fresh = !known.contains(key);
    if (fresh && view.message.files.size() == kMostFiles) {
      view.more = true;
      continue;
    }
    if (!piece.descriptor) continue;  // the driver exports nothing: its arrays are refused by name
    if (fresh) view.message.files.push_back(duplicate(piece.descriptor));
    now.insert(key);
    pieces.push_back({{"id", key.first}, {"address", key.second}, {"size", piece.size}, {"sent", fresh}});
  }
  known = std::move(now);
  view.message.head["pieces"] = std::move(pieces);
}

}  // namespace

Json type_spec(session::Session& session, const Type& type) { return spec(session, type, 0); }

View view_of(session::Session& session, Client& client) {
  View view;
  auto& head = view.message.head;
  auto arrays = Json::array(), scalars = Json::array();
  head["pieces"] = Json::array();
  head["epoch"] = session.arrays().lending_epoch();
  head["gpu"] = -1;
  const bool started = session.chosen().started();
  if (started && session.device_info().kind == device::Kind::cuda) head["gpu"] = session.device_info().ordinal;
  if (started) add_memory(session, client, view);
  for (const auto& array : session.arrays().all()) {
    if (!started || view.more || array.depth > 1 || session::is_in_container(array)) continue;
    if (session.chosen().memory().is_borrowed(array.address)) continue;  // the lender has it
    session.arrays().lend(array);
    arrays.push_back({{"name", array.name},
                      {"address", array.address},
                      {"shape", array.shape},
                      {"type", type_spec(session, array.type)},
                      {"const", array.read_only}});
  }
  for (const auto& [name, variable] : session.names().outermost()) {
    if (name.starts_with("xcuda_")) continue;  // what a lambda has captured
    auto entry = std::visit(ScalarView{session}, variable.value);
    if (entry.is_null()) continue;
    entry["name"] = name;
    scalars.push_back(std::move(entry));
  }
  head["arrays"] = std::move(arrays);
  head["scalars"] = std::move(scalars);
  return view;
}

}  // namespace xcuda::python
