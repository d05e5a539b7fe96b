#include "engine/compiled/prepared_run.hpp"

#include "base/same_extents.hpp"
#include "dtype/number_types.hpp"
#include "engine/compile/plan_cache.hpp"
#include "engine/places/load.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/reduce/fold_plan.hpp"
#include "engine/threads/parallel.hpp"
#include "evaluation/scaled_products.hpp"

#include <purview/reader/buffer.hpp>

#include <cstring>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Memory whose elements can be read at strides from any thread. Null for anything else.
const Leaf* plain_leaf(const Operand& binding) noexcept {
    const Leaf* const leaf = leaf_of(binding);
    const bool plain = leaf != nullptr && leaf->memory() && leaf->is_thread_safe() &&
                       leaf->dtype().is_builtin() && binding.dims.is_strided();
    return plain ? leaf : nullptr;
}

/// Whether two addresses are equally aligned, up to 8 bytes: plans depend on the alignment of
/// memory.
bool equally_aligned(const std::byte* a, const std::byte* b) noexcept {
    constexpr std::uintptr_t kLowBits = sizeof(std::uint64_t) - 1;
    return ((reinterpret_cast<std::uintptr_t>(a) ^ reinterpret_cast<std::uintptr_t>(b)) &
            kLowBits) == 0;
}

/// Whether several threads may run it: parts are of whole blocks.
bool may_be_divided(const Plan& plan) noexcept {
    return plan.size > kBlock && may_use_threads(plan.cost * static_cast<double>(plan.size));
}

} // namespace

std::optional<PreparedRun::Input> PreparedRun::make_input(std::size_t slot,
                                                          const Operand& binding) {
    const DType dtype = binding.dtype();
    Input input{slot, {nullptr, binding.dims}, nullptr, 0, nullptr};
    if (const Leaf* const leaf = plain_leaf(binding); leaf != nullptr) {
        input.start = element_of(*leaf, binding.dims.base());
        input.stride_bytes = leaf->memory().stride_bytes;
        input.operand.node =
            visit_number_dtype(dtype, "computation", [&]<typename T>(std::type_identity<T>) {
                const MemoryView memory = leaf->memory();
                return make_node<Leaf>(std::make_shared<const ConstBuffer<T>>(
                    static_cast<const T*>(memory.data), leaf->size(), memory.stride_bytes,
                    borrowed(memory.data)));
            });
        return input;
    }
    // Programs point to the value of a number, except for bools.
    if (binding.node->kind() != NodeKind::constant || !dtype.is_builtin() || dtype == boolean)
        return std::nullopt;
    visit_dtype(dtype, "computation", [&]<typename T>(std::type_identity<T>) {
        input.operand.node = make_node<ConstantOf<T>>(
            *static_cast<const T*>(static_cast<const Constant&>(*binding.node).value()));
    });
    // This node is not shared, so that its value may be overwritten.
    input.number = const_cast<void*>(static_cast<const Constant&>(*input.operand.node).value());
    return input;
}

std::unique_ptr<PreparedRun> PreparedRun::make(const Task& task, Bindings bindings) {
    std::vector<Input> inputs;
    std::vector<const Operand*> substitutes(bindings.begin(), bindings.end());
    inputs.reserve(task.slots.size());
    for (const std::size_t slot : task.slots) {
        std::optional<Input> input = make_input(slot, *bindings[slot]);
        if (!input) return nullptr;
        inputs.push_back(std::move(*input));
        substitutes[slot] = &inputs.back().operand;
    }
    Operand root = task.substitution(substitutes)[0];
    if (root.dims.size() == 0) return nullptr;
    if (task.is_product()) {
        std::unique_ptr<PreparedRun> made(
            new PreparedRun(std::move(inputs), std::move(root), task));
        return made->find_factors(task.groups) ? std::move(made) : nullptr;
    }
    if (may_repeat_work(root) && !RepeatedWork(root).changes_nothing()) return nullptr;
    std::unique_ptr<PreparedRun> made(new PreparedRun(std::move(inputs), std::move(root), task));
    if (may_be_divided(*made->plan_) || !made->find_moved()) return nullptr;
    if (is_direct(*made->plan_))
        made->direct_.emplace(*made->plan_, places_of(made->values_), made->plan_->size);
    else
        made->runner_.emplace(*made->plan_, made->values_);
    return made;
}

PreparedRun::PreparedRun(std::vector<Input> inputs, Operand root, const Task& task)
    : inputs_(std::move(inputs)),
      root_(std::move(root)),
      fold_(task.reduction && !task.is_product() ? &fold_kind(*task.reduction, root_.dtype())
                                                 : nullptr),
      values_(root_),
      plan_(task.is_product()
                ? nullptr
                : plan_for(values_, fold_ != nullptr ? fold_purpose(*fold_, 1) : Purpose{})) {}

/// Finds the calls of BLAS, and the factors that lie at other addresses with other bindings.
bool PreparedRun::find_factors(index_t groups) {
    if (!find_strided_calls(root_, groups, product_)) return false;
    const Elementwise& product = *product_at(root_);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        for (const ArrayId factor : {0u, 1u})
            if (product.operand(factor).node == inputs_[i].operand.node)
                moved_.push_back(
                    {factor, i, (factor == 0 ? product_->a : product_->b) - inputs_[i].start});
    return true;
}

/// Finds the arrays whose addresses change with the bindings. False where a binding is read in
/// another way than by its address alone.
bool PreparedRun::find_moved() {
    for (ArrayId array = 0; array < plan_->arrays.size(); ++array) {
        const ValueId value = plan_->arrays[array].value;
        if (plan_->arrays[array].source != nullptr) return false;
        if (value == kNoValue) continue;
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            if (values_[value].node != inputs_[i].operand.node.get()) continue;
            // Streams are of addresses from the leaf's first element on.
            const index_t first = plan_->arrays[array].stream ? 0 : values_[value].view->base();
            moved_.push_back(
                {array, i, (first - inputs_[i].operand.dims.base()) * inputs_[i].stride_bytes});
        }
    }
    return true;
}

bool PreparedRun::move_to(Bindings bindings) noexcept {
    for (Input& input : inputs_) {
        const Operand& binding = *bindings[input.slot];
        if (input.number != nullptr) {
            if (binding.node->kind() != NodeKind::constant) return false;
            std::memcpy(input.number, static_cast<const Constant&>(*binding.node).value(),
                        static_cast<std::size_t>(binding.dtype().size_bytes()));
            continue;
        }
        const Leaf* const leaf = plain_leaf(binding);
        if (leaf == nullptr || leaf->memory().stride_bytes != input.stride_bytes ||
            !same_extents(binding.dims.strides(), input.operand.dims.strides()))
            return false;
        const std::byte* const start = element_of(*leaf, binding.dims.base());
        if (!equally_aligned(start, input.start)) return false;
        input.start = start;
    }
    // A process that was forked may have lost the library.
    if (product_ && !product_->small && product_->blas != blas()) return false;
    for (const Moved& moved : moved_) {
        const std::byte* const first = inputs_[moved.input].start + moved.offset;
        if (product_)
            (moved.array == 0 ? product_->a : product_->b) = first;
        else if (direct_)
            direct_->move_source(moved.array, first);
        else
            runner_->move_source(moved.array, first);
    }
    return true;
}

bool PreparedRun::run(void* out) {
    if (product_) {
        product_->run(product_->a, product_->b, out);
        return true;
    }
    if (fold_ != nullptr) {
        const FoldValue folded = direct_ ? fold_part(*fold_, *direct_, 0, plan_->size)
                                         : fold_part(*fold_, *runner_, 0, plan_->size);
        fold_->store(folded, out);
        return !fold_->multiplies_floats() ||
               (fold_->dtype == float32 ? !may_have_left_range(folded.as<float>())
                                        : !may_have_left_range(folded.as<double>()));
    }
    if (direct_)
        direct_->store(static_cast<std::byte*>(out));
    else
        runner_->run_into(0, plan_->size, out);
    return true;
}

} // namespace purview::engine
