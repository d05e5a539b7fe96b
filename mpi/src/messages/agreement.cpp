// Defines messages/ranks.hpp.
#include <purview/mpi/collective.hpp>

#include "messages/ranks.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <typeinfo>

namespace purview::inline v0_1::mpi {
namespace {

std::uint64_t hash_of(std::string_view text, std::uint64_t hash) noexcept {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return hash;
}

std::string text_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

/// Of the type that was thrown.
std::uint64_t type_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
        return hash_of(typeid(error).name(), 1) | 1;
    } catch (...) {
        return 1;
    }
}

/// What ranks tell each other in one all-reduce: the greatest of each.
struct Words {
    std::uint64_t hash;
    std::uint64_t hash_inverted;
    std::uint64_t lowest_failed; ///< ranks - rank; 0: none has
    std::uint64_t type;          ///< of the exception, hashed; 0 on a rank that has not thrown
    std::uint64_t type_inverted;
    std::uint64_t says_no;
};

/// The library's errors, which stay of their type on other ranks.
template <typename... E>
struct Errors {
    /// A letter for the type of what was thrown: 'A' for the first; '@' for others.
    static char letter_of(const std::exception_ptr& thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Error& error) {
            char letter = '@';
            const bool is_known = ((++letter, dynamic_cast<const E*>(&error) != nullptr) || ...);
            return is_known ? letter : '@';
        } catch (...) {
            return '@';
        }
    }
    [[noreturn]] static void throw_of(char letter, const std::string& text) {
        char own = '@';
        ((++own == letter ? throw E(text) : void()), ...);
        throw Error(text);
    }
};
using KnownErrors =
    Errors<ShapeError, IndexError, CastError, DtypeError, KindError, ReadOnlyError, ArithmeticError,
           DimError, SymbolError, FormatError, DeviceError, MemoryLimitError, DistributionError>;

/// Throws what one of the ranks has thrown.
void rethrow(Ranks& ranks, const char* what, const Words& words, const std::exception_ptr& thrown) {
    if (words.lowest_failed == 0) return;
    ranks.throws_on_all(true);
    const int failed = ranks.size() - static_cast<int>(words.lowest_failed);
    if (words.type == ~words.type_inverted) std::rethrow_exception(thrown); // on all ranks
    const std::string text = ranks.text_of(
        what, failed,
        ranks.rank() == failed ? KnownErrors::letter_of(thrown) + text_of(thrown) : std::string());
    KnownErrors::throw_of(text[0], fmt::format("rank {}: {}", failed, text.substr(1)));
}

Words exchanged(Ranks& ranks, const char* what, std::uint64_t hash, bool says_yes,
                const std::exception_ptr& thrown) {
    Words words{hash, ~hash, 0, 0, ~std::uint64_t{0}, says_yes ? 0u : 1u};
    if (thrown) {
        words.lowest_failed = static_cast<std::uint64_t>(ranks.size() - ranks.rank());
        words.type = type_of(thrown);
        words.type_inverted = ~words.type;
        // What it would have called is not known.
        words.hash = 0;
        words.hash_inverted = 0;
    }
    std::array<std::uint64_t, 6> all{words.hash, words.hash_inverted, words.lowest_failed,
                                     words.type, words.type_inverted, words.says_no};
    ranks.throws_on_all(false);
    ranks.all_max(what, all);
    ranks.count_agreement();
    return {all[0], all[1], all[2], all[3], all[4], all[5]};
}

} // namespace

void collective(Ranks& ranks, const char* what, FunctionRef<void()> f) {
    std::exception_ptr thrown;
    try {
        f();
    } catch (...) {
        thrown = std::current_exception();
    }
    rethrow(ranks, what, exchanged(ranks, what, 0, true, thrown), thrown);
}

void run_collective(const Communicator& ranks, FunctionRef<void()> f) {
    agree(ranks.ranks(), "collective", [&](CallText&) { f(); });
}

void CallText::add(std::string_view name, std::string_view value) {
    add(hash_of(value, hash_of(name, 1)), [name = std::string(name), value = std::string(value)] {
        return name.empty() || value.empty() ? name + value : name + ' ' + value;
    });
}

void CallText::add(std::uint64_t hash, std::function<std::string()> text) {
    add_hash(hash);
    texts_.push_back(std::move(text));
}

std::string CallText::text() const {
    std::string all;
    for (const auto& text : texts_) all += (all.empty() ? "" : ", ") + text();
    return all;
}

void CallText::add(std::string_view name, index_t value) { add(name, fmt::format("{}", value)); }

void CallText::add_hash(std::uint64_t hash) noexcept {
    hash_ = (hash_ ^ hash) * 1099511628211ULL;
    hash_ ^= hash_ >> 29;
}

bool agree_on(Ranks& ranks, const char* what, FunctionRef<bool(CallText&)> describe) {
    std::exception_ptr thrown;
    CallText call;
    bool says_yes = false;
    try {
        call.add("", what);
        says_yes = describe(call);
    } catch (...) {
        thrown = std::current_exception();
    }
    const Words words = exchanged(ranks, what, call.hash(), says_yes, thrown);
    rethrow(ranks, what, words, thrown);
    if (words.hash == ~words.hash_inverted) return words.says_no == 0;
    ranks.throws_on_all(true);
    const std::string first = ranks.text_of(what, 0, call.text());
    std::uint64_t lowest = ranks.rank() > 0 && call.text() != first
                               ? static_cast<std::uint64_t>(ranks.size() - ranks.rank())
                               : 0;
    ranks.all_max(what, {&lowest, 1});
    const int other = lowest == 0 ? 0 : ranks.size() - static_cast<int>(lowest);
    if (other == 0)
        throw DistributionError(fmt::format("ranks call {} with arguments that differ", first));
    throw DistributionError(
        fmt::format("ranks call different functions, or one with arguments that "
                    "differ: rank 0 {}; rank {} {}",
                    first, other, ranks.text_of(what, other, call.text())));
}

void agree(Ranks& ranks, const char* what, FunctionRef<void(CallText&)> describe) {
    agree_on(ranks, what, [&](CallText& call) {
        describe(call);
        return true;
    });
}

} // namespace purview
