#include <purview/expression/evaluate.hpp>

#include "engine/program.hpp"

#include <utility>

namespace purview {

struct Evaluation::State {
    engine::Program program;
};

Evaluation::Evaluation(const Operand& source) : state_(new State{engine::compile(source)}) {}
Evaluation::~Evaluation() = default;
Evaluation::Evaluation(Evaluation&&) noexcept = default;
Evaluation& Evaluation::operator=(Evaluation&&) noexcept = default;

DType Evaluation::dtype() const noexcept { return state_->program.root.dtype(); }
index_t Evaluation::size() const noexcept { return state_->program.size; }
bool Evaluation::is_thread_safe() const noexcept { return state_->program.thread_safe; }

void Evaluation::read(index_t begin, index_t count, void* out) const {
    engine::run(state_->program, begin, count, out);
}

} // namespace purview
