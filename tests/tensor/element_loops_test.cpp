#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace element_loops_test {

// Loops over elements, by iterators and by indexes, of every layout: those in memory at one stride are walked by a pointer,
// the others by calls.

namespace {

namespace pv = purview;
using pv::index_t;
using V = std::vector<double>;

/// Numbers that lie in no memory that anybody else could look at. Number 3 cannot be read while `broken`.
class Remote final : public pv::ReadWriter<double> {
public:
    index_t size() const override { return 6; }
    double read(index_t i) const override {
        if (broken && i == 3) throw std::range_error("number 3 is lost");
        const auto found = changed_.find(i);
        return found != changed_.end() ? found->second : static_cast<double>(i);
    }
    void write(index_t i, const double& value) override {
        if (broken && i == 3) throw std::length_error("number 3 is locked");
        changed_[i] = value;
    }
    bool broken = false;

private:
    std::map<index_t, double> changed_;
};

/// The elements in row-major order by an iterator, backwards by one, and by indexes from both ends, have to agree.
template <typename X>
V elements(const X& x) {
    V forwards;
    for (const double v : x) forwards.push_back(v);
    V backwards;
    for (auto it = x.end(); it != x.begin();) backwards.insert(backwards.begin(), *--it);
    CHECK(backwards == forwards);
    V indexed;
    V from_end;
    const pv::Shape shape(x.shape());
    if (shape.empty()) {
        indexed.push_back(x());
        from_end.push_back(x());
    } else if (shape.size() == 1) {
        for (index_t i = 0; i < shape[0]; ++i) {
            indexed.push_back(x(i));
            from_end.push_back(x(i - shape[0]));
        }
    } else {
        for (index_t i = 0; i < shape[0]; ++i)
            for (index_t j = 0; j < shape[1]; ++j) {
                indexed.push_back(x(i, j));
                from_end.push_back(x(i - shape[0], j - shape[1]));
            }
    }
    CHECK(indexed == forwards);
    CHECK(from_end == forwards);
    return forwards;
}

template <typename X>
void check_layouts(const X& six) {
    const auto m = pv::reshape(six, {2, 3});
    CHECK(elements(six) == V{0, 1, 2, 3, 4, 5});
    CHECK(elements(m) == V{0, 1, 2, 3, 4, 5});
    CHECK(elements(six(pv::range(1, 6, 2))) == V{1, 3, 5});
    CHECK(elements(six(pv::range(4, std::nullopt, -2))) == V{4, 2, 0});
    CHECK(elements(pv::flip(m)) == V{5, 4, 3, 2, 1, 0});
    CHECK(elements(pv::transpose(m)) == V{0, 3, 1, 4, 2, 5});
    CHECK(elements(m(pv::all, pv::range(1, 3))) == V{1, 2, 4, 5});
    CHECK(elements(m(1, pv::all)) == V{3, 4, 5});
    CHECK(elements(m(pv::all, -1)) == V{2, 5});
    CHECK(elements(pv::rotate(six, {2})) == V{4, 5, 0, 1, 2, 3});
    CHECK(elements(six(pv::indexes({5, 0, 5}))) == V{5, 0, 5});
    CHECK(elements(pv::broadcast(six(pv::range(2, 4)), {2, 2})) == V{2, 3, 2, 3});
    CHECK(elements(pv::broadcast(pv::reshape(six(pv::range(2, 4)), {2, 1}), {2, 2})) ==
          V{2, 2, 3, 3});
    CHECK(elements(six(pv::range(2, 2))) == V{});
    CHECK(elements(m(pv::range(0, 0), pv::all)) == V{});
    CHECK(elements(pv::reshape(six(pv::range(4, 5)), {})) == V{4});
}

} // namespace

TEST_CASE("loops by iterators and by indexes agree in every layout") {
    const auto six = pv::arange(6.0);
    check_layouts(six);
    check_layouts(pv::Tensor<double>(six));
    check_layouts(pv::Tensor<double>(six + 0.0));
    check_layouts(pv::tensor(std::make_shared<Remote>()));
    check_layouts(pv::Tensor<double>(pv::tensor(std::make_shared<Remote>())));
}

TEST_CASE("loops write in every layout, also where there is no memory") {
    for (const auto& six : {pv::arange(6.0), pv::tensor(std::make_shared<Remote>())}) {
        const auto m = pv::transpose(pv::reshape(six, {2, 3}));
        double n = 10;
        for (auto v : m) v = n++;
        CHECK(elements(six) == V{10, 12, 14, 11, 13, 15});
        for (index_t i = 0; i < 3; ++i)
            for (index_t j = 0; j < 2; ++j) m(i, j) += m(-1, -1);
        CHECK(elements(six) == V{25, 27, 29, 26, 28, 30});
    }
}

TEST_CASE("an exception in a loop arrives as it was thrown, each time") {
    const auto remote = std::make_shared<Remote>();
    const auto six = pv::tensor(remote);
    const pv::Tensor<double> read_only = six;
    const pv::Tensor<double> computed = six * 2;
    remote->broken = true;
    const auto sum = [](const auto& x) {
        const std::string destroyed_on_the_way(100, '.');
        double s = 0;
        for (const double v : x) s += v;
        return s;
    };
    const auto sum_by_index = [](const auto& x) {
        const std::string destroyed_on_the_way(100, '.');
        double s = 0;
        for (int i = 0; i < 6; ++i) s += x(i);
        return s;
    };
    const auto check = [&](const auto& x) {
        CHECK_THROWS_AS(sum(x), std::range_error);
        CHECK_THROWS_WITH(sum(x), "number 3 is lost");
        CHECK_THROWS_AS(sum_by_index(x), std::range_error);
        CHECK_THROWS_AS(sum_by_index(x(pv::range(0, 3))), pv::IndexError);
    };
    check(six);
    check(read_only);
    check(computed);
    CHECK_THROWS_AS(six(3) = 1, std::length_error);
    CHECK_THROWS_AS(*(six.begin() + 3) = 1, std::length_error);
    try {
        read_only(7);
    } catch (const pv::IndexError& outer) {
        const std::string text = outer.what();
        CHECK_THROWS_AS(read_only(3), std::range_error);
        CHECK(text == outer.what());
        CHECK(text.find("7") != std::string::npos);
    }
    remote->broken = false;
    CHECK(sum(six) == 15);
    CHECK(sum_by_index(computed) == 30);
}

TEST_CASE("views of plain axes change strides and base only") {
    const auto t = pv::reshape(pv::arange(24.0), {2, 3, 4});
    const auto v = t(pv::new_axis, -1, pv::ellipsis, pv::range(3, std::nullopt, -2));
    CHECK(v.shape() == pv::Shape{1, 3, 2});
    CHECK(pv::to_vector(v) == V{15, 13, 19, 17, 23, 21});
    CHECK(pv::to_vector(t(pv::ellipsis, 1)) == V{1, 5, 9, 13, 17, 21});
    CHECK(pv::to_vector(t(1, pv::ellipsis, 1)) == V{13, 17, 21});
    CHECK(t(0, 1, 2, pv::ellipsis).shape() == pv::Shape{});
    CHECK(t(pv::new_axis, pv::new_axis, pv::new_axis, pv::ellipsis, pv::new_axis).shape() ==
          pv::Shape{1, 1, 1, 2, 3, 4, 1});
    CHECK(t(pv::new_axis, pv::new_axis, pv::new_axis, 1, pv::range(5, 9), pv::all, pv::new_axis)
              .shape() == pv::Shape{1, 1, 1, 0, 4, 1});
    CHECK_THROWS_AS(t(pv::ellipsis, pv::ellipsis), pv::IndexError);
    CHECK_THROWS_WITH(t(0, 0, 0, pv::all), Catch::Matchers::ContainsSubstring("too many indexes"));
    CHECK_THROWS_WITH(t(2, pv::all), Catch::Matchers::ContainsSubstring("axis 0"));
    auto six_axes = pv::reshape(pv::arange(64.0), {2, 2, 2, 2, 2, 2});
    CHECK(pv::to_vector(six_axes(1, 1, pv::all, 1, 1, 1)) == V{55, 63});
    CHECK(six_axes(pv::new_axis, 1, pv::all).rank() == 6);
    CHECK(six_axes(pv::new_axis, pv::all).rank() == 7);
}

} // namespace element_loops_test
