#include "display/chart/device_links.hpp"

#include <gtest/gtest.h>

namespace xcuda::display {
namespace {

DeviceView set_of(std::size_t count, device::Kind kind) {
  DeviceView view;
  view.selector.kind = kind;
  view.state = DeviceView::State::current;
  for (std::size_t i = 0; i < count; ++i) {
    device::DeviceInfo info;
    info.uuid = "GPU-" + std::to_string(i);
    info.memory_total = 80'000'000'000;
    info.memory_free = 60'000'000'000;
    view.members.push_back(info);
  }
  return view;
}

TEST(DeviceLinks, ProcessesOfTheHostShareItsMemory) {
  const auto links = links_of(set_of(3, device::Kind::cpu));
  ASSERT_EQ(links.size(), 3u);
  EXPECT_EQ(links_text(links), std::vector<std::string>{"between devices: the host's memory"});
}

TEST(DeviceLinks, NvlinksAndBuses) {
  using Path = device::BoardLink::Path;
  auto set = set_of(3, device::Kind::cuda);
  set.members[0].board.emplace().links = {{"GPU-1", 18}, {"GPU-2", 0, Path::processors}};
  const auto links = links_of(set);
  EXPECT_EQ(links[0].text, "18 NVLinks");
  EXPECT_EQ(links[0].kind, DeviceLink::Kind::nvlink);
  EXPECT_EQ(links[2].text, "PCIe");  // nothing is known of it
  EXPECT_EQ(links_text(links), (std::vector<std::string>{"between devices 0 and 1: 18 NVLinks",
                                                         "between devices 0 and 2: PCIe, between processors",
                                                         "between devices 1 and 2: PCIe"}));
}

TEST(DeviceLinks, ThePictureIsPartOfTheReport) {
  const auto bundle = linked_device_bundle({set_of(2, device::Kind::cuda), set_of(0, device::Kind::cpu)});
  const auto html = bundle.data.at(kHtmlMime).get<std::string>();
  EXPECT_NE(html.find("<svg"), std::string::npos);
  EXPECT_NE(html.find("device 1"), std::string::npos);
  const auto text = bundle.data.at(kTextMime).get<std::string>();
  EXPECT_NE(text.find("between devices: PCIe"), std::string::npos);
  EXPECT_EQ(bundle.data.at(kDeviceMime).at("links").size(), 1u);
}

TEST(ArrayParts, AreDrawnInTheColoursOfTheirDevices) {
  ArrayList list;
  list.arrays.push_back(
      {"u", *find_type("float"), {10}, 40, "devices 0 to 1: 5, 5 along axis 0", "In[1]", {{0, 0, 0.5}, {1, 0.5, 1}}});
  list.arrays.push_back({"w", *find_type("float"), {10}, 40, "a copy on each", "In[1]", {{0, 0, 1}, {1, 0, 1}}});
  const auto bundle = array_list_bundle(list);
  const auto html = bundle.data.at(kHtmlMime).get<std::string>();
  EXPECT_NE(html.find("<rect x=\"32.0\" y=\"0.0\" width=\"32.0\""), std::string::npos);
  EXPECT_NE(html.find("<rect x=\"0.0\" y=\"5.0\" width=\"64.0\""), std::string::npos);  // the second copy
  EXPECT_EQ(bundle.data.at(kArrayMime).at("arrays").at(0).at("parts").size(), 2u);
}

}  // namespace
}  // namespace xcuda::display
