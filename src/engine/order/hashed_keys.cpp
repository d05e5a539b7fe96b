#include "engine/order/hashed_keys.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>

#include "engine/order/key_table.hpp"
#include "engine/order/sort_keys.hpp"
#include "engine/run/element_runs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

namespace purview::inline v0_1::engine {
namespace {

constexpr index_t kHashedRows = 4096;

} // namespace

HashedKeys hash_keys(const Operand& keys, bool ordered) {
    const index_t rows = keys.dims.size();
    if (rows > std::numeric_limits<std::int32_t>::max())
        throw ShapeError("group_by_reduce: " + std::to_string(rows) +
                         " rows are too many for keys that are no integers of a small range");
    HashedKeys made;
    made.numbers.resize(static_cast<std::size_t>(rows));
    KeyTable table;
    visit_dtype(keys.dtype(), "group_by_reduce", [&]<typename T>(std::type_identity<T>) {
        ElementRuns<T> runs(keys, kHashedRows);
        std::uint64_t words[KeyTable::kBlock];
        for (index_t at = 0; at < rows; at += kHashedRows) {
            const index_t length = std::min(kHashedRows, rows - at);
            const T* const part = runs(at, length);
            for (index_t block = 0; block < length; block += KeyTable::kBlock) {
                const index_t count = std::min(KeyTable::kBlock, length - block);
                std::transform(part + block, part + block + count, words, key_of<T>);
                table.number(words, count, at + block, made.numbers.data() + at + block);
            }
        }
    });
    made.first_rows = table.rows();
    made.order = GroupEntries<index_t>(std::ssize(made.first_rows));
    std::iota(made.order.begin(), made.order.end(), index_t{0});
    if (ordered)
        std::ranges::sort(made.order, {}, [&](index_t number) {
            return table.words()[static_cast<std::size_t>(number)];
        });
    return made;
}

} // namespace purview::engine
