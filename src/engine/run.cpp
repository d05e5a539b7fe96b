#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>

#include "dtype/element_block.hpp"
#include "engine/load.hpp"
#include "engine/program.hpp"

#include <algorithm>
#include <deque>

namespace purview::engine {
namespace {

void fill(DType dtype, const void* value, index_t count, void* out) {
    const TypeDescriptor& type = dtype.descriptor();
    auto* const first = static_cast<std::byte*>(out);
    // Doubles what is there, so that any type is filled with few, large copies.
    type.copy(value, first, 1);
    for (index_t done = 1; done < count; done *= 2)
        type.copy(first, first + done * type.size, std::min(done, count - done));
}

/// One run of a program: its scratch, and where each value lies now.
class Run {
public:
    explicit Run(const Program& program, index_t block) : program_(program) {
        for (const DType dtype : program.slots) scratch_.emplace_back(dtype, block);
        values_.resize(program.slots.size());
    }

    void block(index_t begin, index_t count, void* out) {
        for (const Step& step : program_.steps) {
            void* const result =
                &step == &program_.steps.back() ? out : scratch_[step.result].data();
            values_[step.result] = result;
            std::visit([&](const auto& action) { perform(action, step, begin, count, result); },
                       step.action);
        }
    }

private:
    void perform(const Load& load, const Step& step, index_t begin, index_t count, void* result) {
        if (load.direct_begin >= 0) {
            const void* const memory = element_of(*load.leaf, load.direct_begin + begin);
            if (&step == &program_.steps.back())
                step.dtype.descriptor().copy(memory, result, count);
            else
                values_[step.result] = memory;
            return;
        }
        load_elements(*load.leaf, load.addresses, begin, count, result);
    }

    void perform(const Fill& constant, const Step& step, index_t, index_t count, void* result) {
        fill(step.dtype, constant.value, count, result);
    }

    void perform(const Apply& apply, const Step&, index_t begin, index_t count, void* result) {
        boost::container::small_vector<const void*, 4> operands;
        for (const Slot slot : apply.operands) operands.push_back(values_[slot]);
        if (apply.kernel != nullptr)
            apply.kernel(begin, count, result, operands.data());
        else
            apply.node->function()->apply(count, result, operands.data());
    }

    const Program& program_;
    std::deque<ElementBlock> scratch_;
    std::vector<const void*> values_;
};

} // namespace

void run(const Program& program, index_t begin, index_t count, void* out) {
    Run run(program, std::min(count, kBlock));
    for (index_t done = 0; done < count;) {
        const index_t length = std::min(count - done, kBlock);
        run.block(begin + done, length,
                  static_cast<std::byte*>(out) + done * program.root.dtype().size_bytes());
        done += length;
    }
}

} // namespace purview::engine
