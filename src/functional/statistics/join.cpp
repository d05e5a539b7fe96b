#include <purview/base/errors.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/statistics/join.hpp>
#include <purview/tensor/as_span.hpp>

#include "functional/statistics/key_words.hpp"
#include "functional/statistics/large_join.hpp"

#include <fmt/format.h>

#include <new>

namespace purview::inline v0_1 {

JoinedRows join(const KeyColumns& left, const KeyColumns& right, JoinKind kind) {
    check_keys("join", left, right);
    if (std::optional<JoinedRows> rows = large_join(left, right, kind)) return *std::move(rows);
    const RowMatches matches = matched_rows(key_words("join", left, right), kind);
    const index_t size = matches.size();
    const bool pairs = kind != JoinKind::semi && kind != JoinKind::anti;
    JoinedRows rows = [&]() -> JoinedRows {
        try {
            return {empty<std::int64_t>({size}), empty<std::int64_t>({pairs ? size : 0})};
        } catch (const std::bad_alloc&) {
            throw MemoryLimitError(
                fmt::format("join: the result has {} rows, for which there is no memory", size));
        }
    }();
    matches.write(as_span(rows.left).data(), as_span(rows.right).data());
    const Operand& beside = left[0].operand();
    return {brought_to(beside, rows.left), brought_to(beside, rows.right)};
}

} // namespace purview
