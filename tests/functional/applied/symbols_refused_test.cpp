// Functions that need elements say their name of symbols, through whatever handle they come.
#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <string>

namespace symbols_refused_test {

namespace {

namespace pv = purview;

/// Symbols, seen as `Handle`: what Python has, and what a function of tensors gets that was traced.
template <typename Handle>
Handle seen() {
    return Handle((pv::variable(pv::tensor({3., 1., 2.}), "x") * 2.0).operand());
}

template <typename F>
void refused(const std::string& name, const F& f) {
    INFO(name);
    using Catch::Matchers::StartsWith;
    CHECK_THROWS_WITH(f(seen<pv::AnyTensor>()), StartsWith(name + ": a symbol has no elements: "));
    CHECK_THROWS_WITH(f(seen<pv::Tensor<double>>()),
                      StartsWith(name + ": a symbol has no elements: "));
    CHECK_THROWS_AS(f(seen<pv::Tensor<double>>()), pv::SymbolError);
}

} // namespace

#define PURVIEW_REFUSES(NAME, ...) refused(NAME, [](const auto& x) { (void)(__VA_ARGS__); })

TEST_CASE("functions that symbols do not take name themselves") {
    PURVIEW_REFUSES("sort", pv::sort(x));
    PURVIEW_REFUSES("argsort", pv::argsort(x, 0));
    PURVIEW_REFUSES("argpartition", pv::argpartition(x, 1));
    PURVIEW_REFUSES("unique", pv::unique(x));
    PURVIEW_REFUSES("quantile", pv::quantile(x, 0.5));
    PURVIEW_REFUSES("median", pv::median(x));
    PURVIEW_REFUSES("argmax", pv::argmax(x));
    PURVIEW_REFUSES("covariance", pv::covariance(x, x));
    PURVIEW_REFUSES("moment", pv::moment(x, 3));
    PURVIEW_REFUSES("topk", pv::topk(x, 2));
    PURVIEW_REFUSES("group_by_reduce", pv::group_by_reduce(x, x, pv::sum));
    PURVIEW_REFUSES("histogram", pv::histogram(x, 4));
    PURVIEW_REFUSES("searchsorted", pv::searchsorted(pv::arange(3.), x));
    PURVIEW_REFUSES("isin", pv::isin(x, pv::arange(3.)));
    PURVIEW_REFUSES("index_of", pv::index_of(x, 1.));
    PURVIEW_REFUSES("ranks", pv::ranks(x));
    PURVIEW_REFUSES("argwhere", pv::argwhere(x > 0.));
    PURVIEW_REFUSES("forward_fill", pv::forward_fill(x));
    PURVIEW_REFUSES("select", pv::arange(3.)(x > 0.)); // a mask
}

#undef PURVIEW_REFUSES

TEST_CASE("who asks symbols for an element reads of where, maximum and minimum") {
    const auto x = seen<pv::AnyTensor>()(0);
    using Catch::Matchers::ContainsSubstring;
    CHECK_THROWS_WITH((x > 0.).item<bool>(), ContainsSubstring("where, maximum and minimum"));
    CHECK_THROWS_WITH(double(x), ContainsSubstring("where, maximum and minimum"));
    pv::Dim i("i");
    const auto with_dims = pv::sum(pv::variable(pv::tensor({3., 1.}))(i) > 0., i);
    CHECK_THROWS_WITH(bool(with_dims > 1), ContainsSubstring("where, maximum and minimum"));
}

} // namespace symbols_refused_test
