#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/same_bits.hpp>

#include "evaluation/loops/tiled_steps.hpp"

#include <purview/purview.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

// Steps in windows of states, as ranks take them that have a part and some elements around it each: the bits of whole
// states.
namespace step_windows_test {

namespace {

namespace pv = purview;
using pv::index_t;

/// Elements of a window, or of a part of it, to or from whole states, round the axes.
template <typename T>
void copy_window(std::vector<T>& window, const pv::StateWindow& at, const pv::StateWindow& part,
                 std::vector<T>& whole, const pv::Shape& shape, bool to_window) {
    const index_t inner = pv::Dimensions::row_major(shape).size() / (shape[0] * shape[1]);
    const index_t width = at.end[1] - at.begin[1];
    for (index_t i = part.begin[0]; i < part.end[0]; ++i)
        for (index_t j = part.begin[1]; j < part.end[1]; ++j)
            for (index_t k = 0; k < inner; ++k) {
                const index_t row = (i % shape[0] + shape[0]) % shape[0];
                const index_t column = (j % shape[1] + shape[1]) % shape[1];
                T& there = whole[static_cast<std::size_t>((row * shape[1] + column) * inner + k)];
                T& here = window[static_cast<std::size_t>(
                    ((i - at.begin[0]) * width + j - at.begin[1]) * inner + k)];
                if (to_window)
                    here = there;
                else
                    there = here;
            }
}

/// Takes `steps` steps in windows of parts, which the ends of parts along both axes are.
template <typename T>
std::vector<T> in_windows(const pv::Loop& loop, std::vector<T> whole, const pv::Shape& shape,
                          const std::vector<index_t>& rows, const std::vector<index_t>& columns,
                          index_t steps) {
    const pv::LoopRule& rule = loop.rule();
    const pv::StateChains chains(rule);
    const pv::StepBoxes boxes = pv::boxes_of(rule, chains);
    REQUIRE(pv::refusal_of_windows(rule, boxes, columns.size() == 1) == "");
    std::vector<T> next = whole;
    index_t row = 0;
    for (const index_t row_end : rows) {
        index_t column = 0;
        for (const index_t column_end : columns) {
            pv::StateWindow part{pv::Shape{row, column}, pv::Shape{row_end, column_end}};
            for (std::size_t a = 2; a < shape.size(); ++a) {
                part.begin.push_back(0);
                part.end.push_back(shape[a]);
            }
            pv::StateWindow window = part;
            const auto extend = [&](std::size_t a, const pv::AxisReach& reach) {
                if (part.is_whole(a, shape[a])) return;
                const index_t by = steps * std::max(reach.below, reach.above);
                window.begin[a] -= by;
                window.end[a] += by;
                if (reach.is_ring) return;
                window.begin[a] = std::max<index_t>(window.begin[a], 0);
                window.end[a] = std::min(window.end[a], shape[a]);
            };
            extend(0, boxes.rows);
            extend(1, boxes.columns);
            const pv::Shape extents = window.extents();
            std::vector<T> a(static_cast<std::size_t>(pv::Dimensions::row_major(extents).size()));
            std::vector<T> b(a.size());
            copy_window(a, window, window, whole, shape, true);
            std::string because;
            const auto tiles =
                pv::TiledSteps::make_in(rule, chains, boxes, window, loop.step_operands(), because);
            REQUIRE(because.empty());
            pv::StatePlaces places;
            for (index_t step = 0; step <= steps; ++step)
                places.after.push_back(
                    {reinterpret_cast<std::byte*>(step % 2 == 0 ? a.data() : b.data())});
            tiles->take(places);
            copy_window(steps % 2 == 0 ? a : b, window, part, next, shape, false);
            column = column_end;
        }
        row = row_end;
    }
    return next;
}

std::vector<index_t> random_ends(oracle::Random& random, index_t extent, index_t parts) {
    std::vector<index_t> ends{extent};
    for (index_t i = 1; i < parts; ++i) ends.push_back(random.between(1, extent));
    std::ranges::sort(ends);
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    return ends;
}

} // namespace

TEST_CASE("Steps in windows give the bits of whole states", "[loops]") {
    oracle::Random random(3);
    for (int round = 0; round < oracle::rounds(400); ++round) {
        pv::Shape shape{random.between(9, 30), random.between(9, 24)};
        if (random.one_in(2)) shape.push_back(random.between(1, 5));
        const bool is_ring = random.one_in(2);
        const index_t far = random.between(1, 2);
        const index_t steps = random.between(1, 4);
        const auto step = [&](const auto& u) {
            const auto at = [&](index_t by, index_t axis) {
                auto rolled = pv::roll(u, by, axis) * 1.F;
                if (is_ring) return rolled;
                // Between borders: 0.5 where nothing comes from.
                const index_t n = shape[static_cast<std::size_t>(axis)];
                pv::PadWidths widths(shape.size(), {0, 0});
                widths[static_cast<std::size_t>(axis)] = {std::max<index_t>(by, 0),
                                                          std::max<index_t>(-by, 0)};
                const auto rest =
                    pv::range(std::max<index_t>(-by, 0), n - std::max<index_t>(by, 0));
                auto inside = axis == 0 ? u(rest, pv::ellipsis) : u(pv::all, rest, pv::ellipsis);
                return pv::pad(inside, widths, pv::PadMode::constant, 0.5F) * 1.F;
            };
            return u * 0.5F + 0.25F * at(far, 0) - 0.125F * at(-1, 0) + 0.25F * at(1, 1) -
                   0.125F * at(-far, 1) * at(1, 0);
        };
        auto u = pv::empty<float>(shape);
        for (float& each : pv::as_span(u))
            each = static_cast<float>(random.between(-999, 999)) / 512;
        const auto c = pv::computation([&](auto x) { return pv::iterate(step, x, steps); },
                                       pv::spec<float>(shape));
        const pv::TracedOutputs traced = c.function()->traced()[0];
        const auto& result = static_cast<const pv::StageResult&>(*traced.outputs[0].node);
        const auto& loop = static_cast<const pv::Loop&>(result.source());
        const auto rows = random_ends(random, shape[0], random.between(1, 4));
        const auto columns = random_ends(random, shape[1], random.between(1, 3));
        CAPTURE(round, pv::to_string(shape), is_ring, far, steps, rows.size(), columns.size());
        const auto given = pv::as_span(u);
        // Windows reach round an axis by less than it has.
        if (steps * far * 2 + 2 >= shape[0] || steps * far * 2 + 2 >= shape[1]) continue;
        const std::vector<float> found = in_windows<float>(
            loop, std::vector<float>(given.begin(), given.end()), shape, rows, columns, steps);
        oracle::expect_same_bits<float>(pv::tensor(found, shape), c(u));
    }
}

} // namespace step_windows_test
