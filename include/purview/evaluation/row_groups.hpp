#pragma once

#include <purview/base/hidden.hpp>
#include <purview/expression/node.hpp>
#include <purview/expression/reduce.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace purview::inline v0_1 {

/// Rows grouped by equal keys.
class PURVIEW_EXPORT RowGroups {
public:
    /// Groups by keys of a built-in type, ordered by key if `ordered`, else by first appearance. -0
    /// equals 0; all NaNs are one group, the last one if ordered. O(n): integers of a small range,
    /// also after division by a common step, index a table; other keys are looked up in a hash
    /// table, with O(groups log groups) more to order them. Integers are read when they are needed:
    /// a first sum, mean or count of a range of up to 4096 finds this range in the same pass.
    /// `blocks_by_groups`: the order in which floats are added depends on the numbers of rows and groups alone, not on
    /// how far apart keys lie; `keys` are not asked for after a fold then.
    RowGroups(const Operand& keys, bool ordered, bool blocks_by_groups = false);
    /// Groups by group numbers below `count`, which is `order.size()`: `numbers[r]` is the group of
    /// row r, and `order` lists the groups in the order in which results show them.
    RowGroups(std::vector<std::int32_t> numbers, const std::vector<index_t>& order);
    ~RowGroups();
    RowGroups(RowGroups&&) noexcept;
    RowGroups& operator=(RowGroups&&) noexcept;

    /// The number of groups.
    index_t size() const;
    index_t rows() const;

    // The functions below return operands in memory, of shape `[groups]` where nothing else is said.

    /// The key of each group, of the type of the keys. Only if the groups were made by keys.
    Operand keys() const;
    /// The number of rows of each group, int64.
    Operand counts() const;
    /// The position of each row's group among the results, int64 `[rows]`.
    Operand numbers() const;
    /// Where keys are integers of a small range, and groups ordered: int64 `[rows]` in [least, least + count), which
    /// ascend as the groups do, without a pass over the rows.
    struct NearNumbers {
        Operand numbers;
        std::int64_t least;
        index_t count;
    };
    std::optional<NearNumbers> near_numbers() const;
    /// The first row of each group.
    std::vector<index_t> first_rows() const;
    /// The values of each group, of a built-in type, reduced to the type that the reduction has
    /// (`sum`, `product`, `min`, `max`, `any_of`, `all_of`), or with `averages`, the mean. Floats are
    /// added in float64, in an order that depends on the numbers of rows and keys alone: the result is
    /// the same for any number of threads. NaN gives NaN. Integers wrap.
    Operand fold(Reduction reduction, const Operand& values, bool averages = false) const;

    /// Writes the rows grouped: those of the first group, then those of the second, and so on,
    /// ascending within each group. Group g has the entries [begins[g], begins[g + 1]) of `out`;
    /// `begins` has groups + 1 entries.
    void sort(std::int64_t* out, std::vector<index_t>& begins) const;

private:
    struct State;
    Hidden<State> state_;
};

} // namespace purview
