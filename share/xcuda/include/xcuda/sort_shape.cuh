// What host and device share of a sort.
#pragma once

namespace xcuda {

constexpr unsigned kSortBlock = 256, kSortItems = 16, kSortTile = kSortBlock * kSortItems, kSortDigits = 256;

}  // namespace xcuda
