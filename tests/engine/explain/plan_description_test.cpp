#include "engine/explain/plan_description.hpp"
#include "engine/kernels/table/selection.hpp"

#include <purview/reader/make_reader.hpp>

#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <cstdint>

namespace plan_description_test {

namespace {

namespace pv = purview;
using namespace pv::engine;

PlanDescription described(const pv::AnyTensor& tensor, const Purpose& purpose = {}) {
    const Values values(tensor.operand());
    return describe_plan(values, look_up_plan(values, purpose));
}

/// Of the only leaf.
LeafDescription leaf(const pv::AnyTensor& tensor) {
    const PlanDescription description = described(tensor);
    REQUIRE(description.leaves.total == 1);
    return description.leaves.entries[0];
}

void check(const pv::AnyTensor& tensor, LoadAccess access, ScratchReason scratch_reason) {
    const LeafDescription found = leaf(tensor);
    CHECK(found.access == access);
    CHECK(found.scratch_reason == scratch_reason);
}

double twice(double x) { return 2 * x; }

} // namespace

TEST_CASE("every way to a leaf is described with its reason") {
    const auto x = pv::zeros({100, 200});
    check(-x, LoadAccess::direct, ScratchReason::none);
    check(-pv::transpose(x), LoadAccess::strided, ScratchReason::stride);
    check(-x(pv::all, pv::range(0, 10)), LoadAccess::strided, ScratchReason::short_rows);
    check(-pv::rotate(x, {1, 1}), LoadAccess::streamed, ScratchReason::view);
    check(pv::emap(twice, pv::transpose(x)), LoadAccess::strided, ScratchReason::stride);

    const auto mask = pv::zeros<bool>({100});
    check(pv::emap([](bool b) { return b ? 1 : 2; }, mask), LoadAccess::strided,
          ScratchReason::user_bool);
    const pv::Dimensions repeated = pv::Dimensions::strided(pv::Shape{100, 200}, pv::Shape{1, 0});
    const auto row = pv::Tensor<double>(pv::Operand{x.operand().node, repeated});
    check(-row, LoadAccess::repeated, ScratchReason::none);
    check(pv::emap(twice, row), LoadAccess::strided, ScratchReason::user_repetition);
    check(!pv::Tensor<bool>(pv::Operand{mask.operand().node, repeated}), LoadAccess::strided,
          ScratchReason::repeated_bool);

    std::vector<std::byte> bytes(8 * 101);
    const auto odd = pv::borrow(reinterpret_cast<double*>(bytes.data() + 1), {100});
    check(-odd, LoadAccess::direct, ScratchReason::none);
    check(pv::emap(twice, odd), LoadAccess::strided, ScratchReason::user_alignment);

    const auto squares = pv::compute_tensor({100}, [](pv::index_t i) { return double(i * i); });
    check(-squares, LoadAccess::streamed, ScratchReason::reader);
    check(pv::tensor({"a", "b"}), LoadAccess::streamed, ScratchReason::element_type);
}

TEST_CASE("the order of the loops has a reason") {
    const auto x = pv::zeros({100, 200});
    const pv::Dimensions dims = pv::Dimensions::column_major(pv::Shape{100, 200});
    const Purpose purpose{Walk::any_order, &dims, TileOp::none, nullptr};
    CHECK(described(-x, purpose).order == SpaceOrder::free);
    CHECK(described(-x, purpose).loops == pv::Shape{200, 100});
    CHECK(described(-x).order == SpaceOrder::asked);
    CHECK(described(pv::cast<int>(x), purpose).order == SpaceOrder::conversion);
    CHECK(described(-pv::rotate(x, {1, 0}), purpose).order == SpaceOrder::leaf);
}

TEST_CASE("steps, scratch and bytes are those of the plan") {
    const auto x = pv::zeros<float>({1000});
    const auto y = pv::zeros<std::uint8_t>({1000});
    const PlanDescription plan = described(x + pv::unchecked_cast<float>(y) * x);
    REQUIRE(plan.steps.total == 2);
    CHECK(plan.steps.entries[0].kind == StepDescription::Kind::convert);
    CHECK_FALSE(plan.steps.entries[0].checked);
    const StepDescription& tiles = plan.steps.entries[1];
    CHECK(tiles.kind == StepDescription::Kind::tiles);
    CHECK(tiles.values.size() == 2);
    CHECK(tiles.lane_bytes == 4);
    CHECK(tiles.lanes * 4 == kernels_named(plan.target).tile_bytes);
    CHECK(plan.read_bytes == 5);
    CHECK(plan.write_bytes == 4);
    CHECK(plan.scratch_blocks == 1);
    CHECK(plan.scratch_bytes == 4 * kBlock);
    CHECK(plan.block == kBlock);
}

TEST_CASE("what tiles keep between instructions is counted") {
    const auto a = pv::zeros({1000});
    const auto b = pv::zeros({1000});
    const auto sum = a + b;
    const auto difference = a - b;
    const auto product = a * b;
    const PlanDescription plan = described((sum * difference) / (product + sum) - difference);
    REQUIRE(plan.steps.total == 1);
    CHECK(plan.steps.entries[0].values.size() == 7);
    CHECK(plan.steps.entries[0].spilled > 0);
    CHECK(plan.scratch_blocks == 0);
}

} // namespace plan_description_test
