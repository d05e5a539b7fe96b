#pragma once

#include <purview/archives/open_many.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace purview::inline v0_1::archives {

/// Where a file lies along an axis: its coordinate, or a number of its name.
using Key = std::variant<double, std::string>;

/// Where the coordinate of a file begins and ends.
struct CoordinateEnds {
    Key first;
    std::optional<Key> last; ///< nothing where there is one element, or where the last has no order
};

/// What the places of files are found by.
struct Located {
    std::string name;
    std::vector<std::optional<CoordinateEnds>> coordinates; ///< along each axis
};

/// The places of files in a grid; along one axis, one behind the other.
struct Places {
    std::vector<std::vector<index_t>> of_files; ///< of each file, along each axis
    Shape counts;
};

/// In ascending order, and in descending order of coordinates that descend in every file where they have more than one
/// element. Throws `FormatError` where neither coordinates nor names say it.
Places places_of(const std::vector<Located>& files, std::size_t axes, ArchiveOrder order);

} // namespace purview::archives
