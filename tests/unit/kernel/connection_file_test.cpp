#include "kernel/connection_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/error.hpp"

namespace xcuda::kernel {
namespace {

using Json = nlohmann::json;

constexpr const char* key = "a-key-that-nobody-may-see";

Json good() {
  return {{"transport", "tcp"}, {"ip", "127.0.0.1"},     {"shell_port", 1},  {"control_port", 2},
          {"stdin_port", 3},    {"iopub_port", 4},       {"hb_port", 65535}, {"signature_scheme", "hmac-sha256"},
          {"key", key},         {"kernel_name", "xcuda"}};
}

std::string refusal(const std::string& text) {
  try {
    parse_connection(text, "file.json");
  } catch (const Error& error) {
    for (const auto& part : {error.message, error.library, error.advice})
      EXPECT_EQ(part.find(key), std::string::npos) << part;
    EXPECT_NE(error.message.find("file.json"), std::string::npos);
    return error.message;
  }
  return "accepted";
}

TEST(Connection, ReadsAllFields) {
  const auto connection = parse_connection(good().dump(), "file.json");
  EXPECT_EQ(connection.endpoint(connection.shell), "tcp://127.0.0.1:1");
  EXPECT_EQ(connection.control, 2);
  EXPECT_EQ(connection.input, 3);
  EXPECT_EQ(connection.iopub, 4);
  EXPECT_EQ(connection.heartbeat, 65535);
  EXPECT_EQ(connection.digest, "sha256");
  EXPECT_EQ(connection.key, key);
}

TEST(Connection, KnowsIpc) {
  auto json = good();
  json["transport"] = "ipc";
  json["ip"] = "/tmp/kernel";
  EXPECT_EQ(parse_connection(json.dump(), "").endpoint(5), "ipc:///tmp/kernel-5");
  json["ip"] = std::string(102, 'x');
  EXPECT_NE(refusal(json.dump()).find("101 characters"), std::string::npos);
}

TEST(Connection, MissesEachField) {
  const auto whole = good();
  for (const auto& [name, value] : whole.items()) {
    if (name == "kernel_name") continue;
    auto json = good();
    json.erase(name);
    EXPECT_NE(refusal(json.dump()).find("no field \"" + name + "\""), std::string::npos) << name;
    json[name] = nullptr;
    EXPECT_NE(refusal(json.dump()), "accepted") << name;
  }
}

TEST(Connection, RefusesAddressesThatAreUnknown) {
  for (const char* ip : {"", "[]", "127.0.0.1:80", "::1:::", "no.such.host.invalid", "a b"}) {
    auto json = good();
    json["ip"] = ip;
    EXPECT_NE(refusal(json.dump()).find("address"), std::string::npos) << ip;
  }
}

TEST(Connection, KnowsNamesAndIpv6) {
  const std::pair<const char*, const char*> cases[] = {{"localhost", "tcp://127.0.0.1:1"},
                                                       {"::1", "tcp://[::1]:1"},
                                                       {"[::1]", "tcp://[::1]:1"},
                                                       {"*", "tcp://*:1"},
                                                       {"::", "tcp://[::]:1"},
                                                       {"0.0.0.0", "tcp://0.0.0.0:1"}};
  for (const auto& [ip, endpoint] : cases) {
    auto json = good();
    json["ip"] = ip;
    const auto connection = parse_connection(json.dump(), "file.json");
    EXPECT_EQ(connection.endpoint(connection.shell), endpoint) << ip;
  }
}

// The pair of the CurveZMQ documentation.
constexpr const char* curve_public = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";
constexpr const char* curve_secret = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs";

TEST(Connection, TakesCurveKeys) {
  auto json = good();
  EXPECT_EQ(parse_connection(json.dump(), "file.json").curve_secret, "");
  json["curve_publickey"] = json["curve_secretkey"] = nullptr;
  EXPECT_EQ(parse_connection(json.dump(), "file.json").curve_secret, "");
  json["curve_publickey"] = curve_public;
  json["curve_secretkey"] = curve_secret;
  EXPECT_EQ(parse_connection(json.dump(), "file.json").curve_secret, curve_secret);
}

TEST(Connection, RefusesCurveKeysThatDoNotFit) {
  const std::string open = curve_public, secret = curve_secret;
  const std::tuple<Json, Json, const char*> cases[] = {
      {open, nullptr, "has curve_publickey but no curve_secretkey"},
      {nullptr, secret, "has curve_secretkey but no curve_publickey"},
      {"", "", "no CurveZMQ key"},
      {open, secret.substr(1), "\"curve_secretkey\""},
      {open.substr(1), secret, "\"curve_publickey\""},
      {open, secret + "00000", "no CurveZMQ key"},
      {open, secret.substr(1) + "~", "no CurveZMQ key"},
      {open, std::string(40, '\0'), "no CurveZMQ key"},
      {open, 7, "no CurveZMQ key"},
      {open, Json::array({secret}), "no CurveZMQ key"},
      {secret, open, "does not match"},
      {secret, secret, "does not match"},
  };
  for (const auto& [given_open, given_secret, said] : cases) {
    auto json = good();
    if (!given_open.is_null()) json["curve_publickey"] = given_open;
    if (!given_secret.is_null()) json["curve_secretkey"] = given_secret;
    const auto message = refusal(json.dump());
    EXPECT_NE(message.find(said), std::string::npos) << message;
    for (const auto& key_text : {open, secret})
      EXPECT_EQ(message.find(key_text.substr(0, 8)), std::string::npos) << message;
  }
}

TEST(Connection, RefusesPortsThatAreNone) {
  for (const Json& port : {Json(0), Json(-1), Json(65536), Json("1"), Json(1.0), Json(1ull << 40), Json(true)}) {
    auto json = good();
    json["hb_port"] = port;
    EXPECT_NE(refusal(json.dump()).find("hb_port"), std::string::npos) << port;
  }
}

TEST(Connection, RefusesSchemesAndEmptyKeys) {
  for (const char* scheme : {"", "hmac-", "sha256", "hmac-sha999", "hmac-SHA256", "none"}) {
    auto json = good();
    json["signature_scheme"] = scheme;
    EXPECT_NE(refusal(json.dump()).find("signature scheme"), std::string::npos) << scheme;
  }
  auto json = good();
  json["key"] = "";
  EXPECT_NE(refusal(json.dump()).find("empty key"), std::string::npos);
}

TEST(Connection, RefusesWhatIsNoObject) {
  for (const auto& text :
       {std::string(), std::string("{\"key\": \"") + key + "\"", std::string("[]"), std::string(1000, '[')})
    EXPECT_NE(refusal(text).find("not a JSON object"), std::string::npos);
}

}  // namespace
}  // namespace xcuda::kernel
