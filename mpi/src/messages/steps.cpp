// Defines purview/mpi/collective.hpp.
// Methods of many steps.
#include <purview/mpi/collective.hpp>

#include "messages/ranks.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace purview::inline v0_1::mpi {
namespace {

/// `fold(left, right)` of numbers, along a fixed tree.
template <typename F>
void fold_numbers(const char* what, Ranks& ranks, std::span<double> numbers, const F& fold) {
    ranks.join(what, ranks.all(), std::as_writable_bytes(numbers), Carries::elements,
               [&](std::byte* left, const std::byte* right) {
                   for (std::size_t i = 0; i < numbers.size_bytes(); i += sizeof(double)) {
                       double low = 0, high = 0;
                       std::memcpy(&low, left + i, sizeof low);
                       std::memcpy(&high, right + i, sizeof high);
                       low = fold(low, high);
                       std::memcpy(left + i, &low, sizeof low);
                   }
               });
}

} // namespace

void run_steps(const char* what, const Communicator& communicator,
               FunctionRef<std::string()> describe, FunctionRef<void()> steps) {
    Ranks& ranks = communicator.ranks();
    agree(ranks, what, [&](CallText& call) { call.add("of", describe()); });
    std::exception_ptr thrown;
    {
        const ExitNotice exit_notice(ranks, what);
        try {
            steps();
        } catch (const ArithmeticError&) {
            thrown = std::current_exception();
        }
    }
    if (thrown) collective(ranks, what, [&] { std::rethrow_exception(thrown); });
}

void add_in_steps(const char* what, const Communicator& ranks, std::span<double> numbers) {
    fold_numbers(what, ranks.ranks(), numbers, [](double a, double b) { return a + b; });
}

double largest_in_steps(const char* what, const Communicator& ranks, double own) {
    fold_numbers(what, ranks.ranks(), {&own, 1}, [](double a, double b) { return std::max(a, b); });
    return own;
}

} // namespace purview
