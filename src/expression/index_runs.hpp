#pragma once

#include <purview/expression/node.hpp>
#include <purview/expression/progression.hpp>

#include <boost/container/small_vector.hpp>

#include <optional>

namespace purview::inline v0_1 {

/// Indexes at equal steps, of the places up to `end` that no run before it has. Those at place t is
/// `line.first + line.step * t`.
struct IndexRun {
    index_t end;
    Progression line;
};
inline index_t read_at(const Progression& line, index_t place) noexcept {
    return line.first + line.step * place;
}
using IndexRuns = boost::container::small_vector<IndexRun, 4>;

/// The runs of an operand of rank 1, of type int64 or boolean (0 and 1), that is computed of progressions
/// and constants alone, such as `where(i + 1 < n, i + 1, 0)`: no memory is read that may change.
/// Nothing for others, and where there are many runs. O(nodes · runs), whatever the number of
/// indexes.
std::optional<IndexRuns> index_runs(const Operand& line);

} // namespace purview
