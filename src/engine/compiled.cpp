#include <purview/expression/compiled.hpp>

#include "expression/graph.hpp"

#include <optional>
#include <utility>

namespace purview {

struct Compiled::State {
    State(const Operand& operand, std::optional<Reduction> fold, index_t count)
        : root(operand), reduction(fold), groups(count), substitution(std::span(&root, 1)) {}

    Operand root;
    std::optional<Reduction> reduction;
    index_t groups;
    Substitution substitution; // refers to `root`
};

Compiled::Compiled(const Operand& root) : state_(new State(root, std::nullopt, 1)) {}
Compiled::Compiled(Reduction reduction, const Operand& root, index_t groups)
    : state_(new State(root, reduction, groups)) {}
Compiled::~Compiled() = default;
Compiled::Compiled(Compiled&&) noexcept = default;
Compiled& Compiled::operator=(Compiled&&) noexcept = default;

void Compiled::run(Bindings bindings, void* out) const {
    const Operand bound =
        state_->substitution.empty() ? state_->root : state_->substitution(bindings)[0];
    if (state_->reduction)
        reduce(*state_->reduction, bound, state_->groups, out);
    else if (bound.dims.size() > 0)
        Evaluation(bound).read(0, bound.dims.size(), out);
}

} // namespace purview
