#include "engine/compile/plan.hpp"
#include "engine/explain/plan_text.hpp"
#include "engine/kernels/table/selection.hpp"

#include <purview/reader/make_reader.hpp>

#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace plan_text_test {

namespace {

namespace pv = purview;
using namespace pv::engine;

FoundPlan plan_of(const pv::AnyTensor& tensor, const Purpose& purpose = {}) {
    return look_up_plan(Values(tensor.operand()), purpose);
}

/// The lines of a tensor's plan.
std::string text_of_plan(const pv::AnyTensor& tensor) {
    const Values values(tensor.operand());
    return text_of(values, look_up_plan(values, {}));
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// How the only leaf is read, and why; `line` is what is told of it.
void check(const pv::AnyTensor& tensor, LoadWay way, ScratchReason scratch_reason,
           const std::string& line) {
    const std::shared_ptr<const Plan> plan = plan_of(tensor).plan;
    REQUIRE(std::ranges::count_if(plan->arrays,
                                  [](const Array& array) { return array.value != kNoValue; }) == 1);
    const Array& leaf = *std::ranges::find_if(
        plan->arrays, [](const Array& array) { return array.value != kNoValue; });
    CHECK(leaf.way == way);
    CHECK(leaf.scratch_reason == scratch_reason);
    CHECK(contains(text_of_plan(tensor), ": " + line + "\n"));
}

double twice(double x) { return 2 * x; }

} // namespace

TEST_CASE("every way to a leaf is described with its reason") {
    const auto x = pv::zeros({100, 200});
    check(-x, LoadWay::direct, ScratchReason::none, "read where it lies");
    check(
        -pv::transpose(x), LoadWay::strided, ScratchReason::stride,
        "gathered into scratch by strides, because neighbours in the innermost loop are 1600 bytes apart");
    check(
        -x(pv::all, pv::range(0, 10)), LoadWay::strided, ScratchReason::short_rows,
        "gathered into scratch by strides, because rows of 10 are short, and it has gaps between them");
    check(-pv::rotate(x, {1, 1}), LoadWay::streamed, ScratchReason::view,
          "read into scratch by index, because no strides describe its view");
    check(
        pv::emap(twice, pv::transpose(x)), LoadWay::strided, ScratchReason::stride,
        "gathered into scratch by strides, because neighbours in the innermost loop are 1600 bytes apart");

    const auto mask = pv::zeros<bool>({100});
    check(
        pv::emap([](bool b) { return b ? 1 : 2; }, mask), LoadWay::strided,
        ScratchReason::user_bool,
        "gathered into scratch by strides, because a step on blocks reads bools as bytes 0 and 1");
    const pv::Dimensions repeated = pv::Dimensions::strided(pv::Shape{100, 200}, pv::Shape{1, 0});
    const auto row = pv::Tensor<double>(pv::Operand{x.operand().node, repeated});
    check(-row, LoadWay::repeated, ScratchReason::none, "one element for each row, repeated");
    check(pv::emap(twice, row), LoadWay::strided, ScratchReason::user_repetition,
          "gathered into scratch by strides, because a step on blocks reads every element");
    check(!pv::Tensor<bool>(pv::Operand{mask.operand().node, repeated}), LoadWay::strided,
          ScratchReason::repeated_bool,
          "gathered into scratch by strides, because instructions do not repeat a bool");

    std::vector<std::byte> bytes(8 * 101);
    const auto odd = pv::borrow(reinterpret_cast<double*>(bytes.data() + 1), {100});
    check(-odd, LoadWay::direct, ScratchReason::none, "read where it lies");
    check(pv::emap(twice, odd), LoadWay::strided, ScratchReason::user_alignment,
          "gathered into scratch by strides, because a step on blocks reads aligned elements");

    const auto squares = pv::compute_tensor({100}, [](pv::index_t i) { return double(i * i); });
    check(-squares, LoadWay::streamed, ScratchReason::reader,
          "read into scratch by index, because it reveals no memory");
    check(pv::tensor({"a", "b"}), LoadWay::streamed, ScratchReason::element_type,
          "read into scratch by index, because its type is no built-in one");
}

TEST_CASE("the order of the loops has a reason") {
    const auto x = pv::zeros({100, 200});
    const pv::Dimensions dims = pv::Dimensions::column_major(pv::Shape{100, 200});
    const Purpose purpose{Walk::any_order, &dims, TileOp::none, nullptr};
    CHECK(plan_of(-x, purpose).plan->order == SpaceOrder::free);
    CHECK(plan_of(-x, purpose).plan->space.extents == pv::Shape{200, 100});
    CHECK(plan_of(-x).plan->order == SpaceOrder::asked);
    CHECK(plan_of(pv::cast<int>(x), purpose).plan->order == SpaceOrder::conversion);
    CHECK(plan_of(-pv::rotate(x, {1, 0}), purpose).plan->order == SpaceOrder::leaf);
}

TEST_CASE("steps, scratch and bytes are those of the plan") {
    const auto x = pv::zeros<float>({1000});
    const auto y = pv::zeros<std::uint8_t>({1000});
    const auto sum = x + pv::unchecked_cast<float>(y) * x;
    const std::string text = text_of_plan(sum);
    CAPTURE(text);
    const std::size_t lanes = plan_of(sum).plan->kernels.tile_bytes / 4;
    CHECK(contains(text, "  step 1: convert a block: %"));
    CHECK_FALSE(contains(text, "checked"));
    CHECK(contains(text, "  step 2: tiles of " + std::to_string(lanes) + " 4-byte lanes: %"));
    CHECK(contains(text, ", fused; "));
    CHECK_FALSE(contains(text, "step 3"));
    CHECK(contains(text, "  bytes for each element: 5 read, 4 written\n"));
    CHECK(contains(text, "  scratch: 1 block, " + std::to_string(4 * kBlock) + " bytes\n"));
    CHECK(contains(text, "; rows in blocks of " + std::to_string(kBlock) + "\n"));
}

TEST_CASE("what tiles keep between instructions is counted") {
    const auto a = pv::zeros({1000});
    const auto b = pv::zeros({1000});
    const auto sum = a + b;
    const auto difference = a - b;
    const auto product = a * b;
    const auto all = (sum * difference) / (product + sum) - difference;
    const std::shared_ptr<const Plan> plan = plan_of(all).plan;
    REQUIRE(plan->steps.size() == 1);
    CHECK(std::get<TileStep>(plan->steps[0]).values.size() == 7);
    CHECK(std::get<TileStep>(plan->steps[0]).program.spill_slots > 0);
    const std::string text = text_of_plan(all);
    CHECK(contains(text, "as machine code") != contains(text, " kept in scratch between them\n"));
    CHECK_FALSE(contains(text, "  scratch: "));
}

TEST_CASE("long lists are cut, and the rest of them is counted") {
    pv::AnyTensor sum = pv::zeros({100});
    for (int i = 0; i < 150; ++i) sum = sum + pv::zeros({100});
    const Values values(sum.operand());
    const std::string tree = text_of(values);
    CHECK(std::ranges::count(tree, '\n') == 102);
    CHECK(contains(tree, "  … " + std::to_string(values.size() - 100) + " more\n"));
}

} // namespace plan_text_test
