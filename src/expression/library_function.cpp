#include <purview/expression/library_function.hpp>

#include <algorithm>
#include <atomic>
#include <typeinfo>

namespace purview::inline v0_1 {

LibraryFunction::~LibraryFunction() = default;

std::uint64_t unique_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

const LibraryFunction* library_function(const Elementwise& operation) noexcept {
    return dynamic_cast<const LibraryFunction*>(operation.function());
}

std::string_view name_of(const Elementwise& operation) noexcept {
    const LibraryFunction* const function = library_function(operation);
    return function != nullptr ? function->name() : name_of(operation.op());
}

bool are_same_operation(const Elementwise& a, const Elementwise& b) noexcept {
    if (a.op() != b.op()) return false;
    if (a.function() == b.function()) return true;
    const LibraryFunction* const x = library_function(a);
    const LibraryFunction* const y = library_function(b);
    // The class tells which arguments are operands, and of which types the others are.
    return x != nullptr && y != nullptr && typeid(*x) == typeid(*y) && x->name() == y->name() &&
           std::ranges::equal(x->parameters(), y->parameters());
}

} // namespace purview
