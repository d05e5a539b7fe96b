#pragma once

#include <purview/expression/node.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace purview {

/// What the values of a group come to.
enum class GroupFold : std::uint8_t { of_sum, of_product, of_mean, of_minimum, of_maximum };

/// Rows in groups of equal keys.
class PURVIEW_EXPORT RowGroups {
public:
    /// By keys of a built-in type, in order or as they appear first. -0 equals 0, NaNs are one group, the last in order. O(n):
    /// integers in a small range are places in a table; other keys are looked up in a hash table, and O(groups log groups)
    /// in order.
    RowGroups(const Operand& keys, bool ordered);
    /// By numbers of groups, of which there are `count`; `order`: which group comes first, second, and so on.
    RowGroups(std::vector<std::int32_t> numbers, const std::vector<index_t>& order);
    ~RowGroups();
    RowGroups(RowGroups&&) noexcept;
    RowGroups& operator=(RowGroups&&) noexcept;

    /// Groups.
    index_t size() const;
    index_t rows() const;

    // What follows is memory, `[groups]`.

    /// The key of each group, of their type. Only of groups that were made by keys.
    Operand keys() const;
    /// The rows of each group, int64.
    Operand counts() const;
    /// The values of each group, of a built-in type, folded, of the type that the reduction has (`sum`, `product`, `mean`, `min`,
    /// `max`). Floats are added in float64, in an order that depends on the numbers of rows and keys alone: the same for
    /// any number of threads. NaN gives NaN. Integers wrap.
    Operand fold(GroupFold fold, const Operand& values) const;

    /// The rows, those of the first group before those of the second, each ascending; the rows of group g are at the places
    /// from `begins[g]` on. There is one more place than there are groups.
    void sort(std::int64_t* out, std::vector<index_t>& begins) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace purview
