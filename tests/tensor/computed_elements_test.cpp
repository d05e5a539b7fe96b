#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace computed_elements_test {

// A `MutableTensor` whose elements turn out to be computed: they are read like any others, and not written.

namespace {

namespace pv = purview;
using pv::index_t;

struct Quote {
    double price = 0;
    int size = 0;
    bool operator==(const Quote&) const = default;
};

/// Quotes that lie in no memory that anybody else could look at.
class Quotes final : public pv::ReadWriter<Quote> {
public:
    index_t size() const override { return 6; }
    Quote read(index_t i) const override {
        const auto found = changed_.find(i);
        return found != changed_.end() ? found->second
                                       : Quote{0.5 * static_cast<double>(i), static_cast<int>(i)};
    }
    void write(index_t i, const Quote& quote) override { changed_[i] = quote; }

private:
    std::map<index_t, Quote> changed_;
};

} // namespace

TEST_CASE("Elements of a column of a reader of one's own are read") {
    const auto quotes = pv::tensor(std::make_shared<Quotes>(), {2, 3});
    const auto price = quotes | pv::column(&Quote::price);
    CHECK(double(price(1, 0)) == 1.5);
    CHECK(double(price(-1, -1)) == 2.5);
    CHECK_THROWS_AS(price(2, 0), pv::IndexError);
    std::vector<double> values;
    for (const double value : price) values.push_back(value);
    CHECK(values == std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5});
    CHECK(double(*std::ranges::max_element(price)) == 2.5);
    CHECK(double(*price.begin()) == 0);
    CHECK(double(price.begin()[4]) == 2);

    quotes(1, 0) = Quote{9, 1};
    CHECK(double(price(1, 0)) == 9);
    CHECK_THROWS_AS(price(1, 0) = 3., pv::ReadOnlyError);
    CHECK_THROWS_AS(*price.begin() = 3., pv::ReadOnlyError);
    CHECK_THROWS_AS(std::ranges::fill(price, 3.), pv::ReadOnlyError);
}

TEST_CASE("An element of what is computed outlives its tensor") {
    const auto last = [] {
        const auto price = pv::tensor(std::make_shared<Quotes>()) | pv::column(&Quote::price);
        return std::pair{price(5), *price.begin()};
    };
    const auto [five, first] = last();
    CHECK((double(five) == 2.5 && double(first) == 0));
    const auto iterated = [] {
        const auto price = pv::tensor(std::make_shared<Quotes>()) | pv::column(&Quote::price);
        auto it = price.begin() + 3;
        return *it;
    };
    CHECK(double(iterated()) == 1.5);
}

} // namespace computed_elements_test
