#include <purview/base/checked.hpp>
#include <purview/dimensions/affine_index.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {
namespace {

constexpr const char* kWhat = "index arithmetic";

index_t add_scaled(index_t x, index_t y, index_t factor) {
    return checked_add(x, checked_multiply(y, factor, kWhat), kWhat);
}

} // namespace

DimVector AffineIndex::dims() const {
    DimVector dims;
    for (const Term& term : terms_) dims.push_back(term.dim);
    return dims;
}

AffineIndex::Bounds AffineIndex::bounds() const {
    Bounds bounds{constant_, constant_};
    for (const Term& term : terms_) {
        const index_t size = term.dim.size();
        if (size == 0) return {0, -1};
        index_t& bound = term.coefficient > 0 ? bounds.highest : bounds.lowest;
        bound = add_scaled(bound, size - 1, term.coefficient);
    }
    return bounds;
}

AffineIndex AffineIndex::sum(AffineIndex x, const AffineIndex& y, index_t factor) {
    x.constant_ = add_scaled(x.constant_, y.constant_, factor);
    for (const Term& term : y.terms_) {
        Term* found = nullptr;
        for (Term& mine : x.terms_)
            if (same(mine.dim, term.dim)) found = &mine;
        if (found == nullptr)
            x.terms_.push_back({term.dim, checked_multiply(term.coefficient, factor, kWhat)});
        else
            found->coefficient = add_scaled(found->coefficient, term.coefficient, factor);
    }
    return x;
}

AffineIndex AffineIndex::scaled(AffineIndex x, index_t factor) {
    x.constant_ = checked_multiply(x.constant_, factor, kWhat);
    for (Term& term : x.terms_)
        term.coefficient = checked_multiply(term.coefficient, factor, kWhat);
    return x;
}

std::string to_string(const AffineIndex& index) {
    std::string text;
    const auto sign = [&](bool negative) {
        if (text.empty()) return negative ? "-" : "";
        return negative ? " - " : " + ";
    };
    for (const AffineIndex::Term& term : index.terms()) {
        const bool negative = term.coefficient < 0;
        const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(term.coefficient)
                                                 : static_cast<std::uint64_t>(term.coefficient);
        text += sign(negative);
        text += magnitude == 1 ? term.dim.name() : fmt::format("{}*{}", magnitude, term.dim.name());
    }
    const index_t constant = index.constant();
    if (constant != 0 || text.empty()) {
        text += sign(constant < 0);
        text += fmt::format("{}", constant < 0 ? 0 - static_cast<std::uint64_t>(constant)
                                               : static_cast<std::uint64_t>(constant));
    }
    return text;
}

} // namespace purview
