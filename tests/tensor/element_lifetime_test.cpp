// An element may outlive whatever it was taken from. Under the address sanitizer, reading memory that is gone is an
// error; everywhere, memory with an owner that counts tells when it goes.
#include <purview/reader/elements.hpp>
#include <purview/reader/sparse_buffer.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/sparse_tensor.hpp>
#include <purview/tensor/views.hpp>
#include <purview/tensor/wrap.hpp>

#include <support/catch.hpp>

#include <algorithm>
#include <future>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace element_lifetime_test {

namespace {

namespace pv = purview;
using pv::index_t;

/// A tensor of 0, 1, 2, … over memory that counts when it goes, and is overwritten then.
pv::MutableTensor<double> counted(int& released, index_t n = 4) {
    auto* const memory = new double[static_cast<std::size_t>(n)];
    for (index_t i = 0; i < n; ++i) memory[i] = static_cast<double>(i);
    return pv::wrap(memory, {n}, std::shared_ptr<double[]>(memory, [&released, n](double* gone) {
                        ++released;
                        std::fill_n(gone, n, -1.0);
                        delete[] gone;
                    }));
}

/// Takes an element out of a tensor that goes at once.
template <typename Take>
void check_outlives(Take take) {
    int released = 0;
    {
        auto element = [&] {
            auto x = counted(released);
            return take(x);
        }();
        CHECK(released == 0);
        CHECK(element == 1);
        element = 5;
        element += 2;
        CHECK(element == 7);
        auto again = element;
        CHECK(again == 7);
    }
    CHECK(released == 1);
    CHECK_FALSE(pv::has_element_refs());
}

TEST_CASE("an element outlives the tensor that it was taken from") {
    using X = pv::MutableTensor<double>;
    check_outlives([](X& x) { return x(1); });
#ifdef __cpp_multidimensional_subscript
    check_outlives([](X& x) { return x[1]; });
    check_outlives([](X& x) { return x(pv::range(1, 3))[0]; });
#endif
    check_outlives([](X& x) { return *(x.begin() + 1); });
    check_outlives([](X& x) { return x.begin()[1]; });
    check_outlives([](X& x) { return x.end()[-3]; });
    check_outlives([](X& x) { return pv::reshape(x, {2, 2})(0, 1); });
    check_outlives([](X& x) { return *(pv::flip(pv::flip(x)).begin() + 1); });
    check_outlives([](X& x) { return pv::transpose(pv::reshape(x, {2, 2})).begin()[2]; });
    check_outlives([](X& x) { return x(pv::indexes({3, 1}))(1); });
    check_outlives([](X& x) { return x(pv::indexes({3, 1})).begin()[1]; });
    check_outlives([](X& x) { return x(pv::range(1, 3))(0); });
    check_outlives([](X& x) { return pv::rotate(x, {1})(2); });
    check_outlives([](X& x) { return x.storage()(1); });
    check_outlives([](X& x) { return pv::AnyTensor(x).as_mutable<double>()(1); });
    check_outlives([](X& x) { return std::move(x)(1); });
    check_outlives([](X& x) {
        const X copy = x;
        return copy(1);
    });
    check_outlives([](X& x) {
        auto first = x(1);
        auto second = first;
        return second;
    });
}

TEST_CASE("an element outlives a tensor that names something else, and what it names") {
    int released = 0;
    {
        auto x = counted(released);
        auto element = x(2);
        x = pv::zeros<double>({2});
        CHECK(released == 0);
        CHECK(element == 2);
        element = 8;
        CHECK(element == 8);
        auto other = x(1);
        x = counted(released);
        CHECK(other == 0);
        x(0) = 3; // plain ones still come and go
        CHECK(x(0) == 3);
    }
    CHECK(released == 2);
    CHECK_FALSE(pv::has_element_refs());
}

TEST_CASE("elements outlive their tensor in whatever they are stored") {
    int released = 0;
    {
        std::vector<pv::Element<double>> many;
        std::list<pv::Element<double>> list;
        std::map<int, pv::Element<double>> named;
        std::optional<pv::Element<double>> maybe;
        std::unique_ptr<pv::Element<double>> on_heap;
        std::shared_ptr<pv::Element<double>> shared;
        {
            auto x = counted(released, 300);
            for (index_t i = 0; i < 300; ++i) many.push_back(x(i));
            for (auto&& element : x) list.push_front(element);
            named.emplace(7, x(7));
            maybe.emplace(x(9));
            on_heap.reset(new pv::Element<double>(x(11)));
            shared = std::make_shared<pv::Element<double>>(x(12));
        }
        const auto kept = [element = many[3]] { return element * 2; };
        CHECK(released == 0);
        for (std::size_t i = 0; i < 300; ++i) CHECK(many[i] == static_cast<double>(i));
        CHECK(list.front() == 299);
        list.erase(std::next(list.begin(), 10),
                   std::next(list.begin(), 200)); // not the last ones first
        CHECK(*std::next(list.begin(), 10) == 99);
        list.clear();
        CHECK(kept() == 6);
        CHECK((named.at(7) == 7 && *maybe == 9 && *on_heap == 11 && *shared == 12));
        many.clear();
        maybe.reset();
        on_heap.reset();
        CHECK(released == 0);
        *shared = 13;
        CHECK(*shared == 13);
        named.clear();
        shared.reset();
        CHECK(kept() == 6);
        CHECK(released == 0);
    }
    CHECK(released == 1);
    CHECK_FALSE(pv::has_element_refs());
}

TEST_CASE("elements of an aggregate are never copied, and outlive their tensor too") {
    struct Three {
        pv::Element<double> a, b, c;
    };
    int released = 0;
    {
        const auto three = [&] {
            auto x = counted(released);
            return Three{x(1), *x.begin(), x(pv::range(2, 4))(1)};
        }();
        CHECK((three.a == 1 && three.b == 0 && three.c == 3));
        const std::tuple<pv::Element<double>, int> pair(three.c, 4);
        CHECK(std::get<0>(pair) == 3);
    }
    CHECK(released == 1);
}

/// An element per level, each of a tensor of its own level, none of which is there when it is read.
double deep(int levels, int& released) {
    auto element = [&] { return counted(released)(levels % 4); }();
    const double below = levels == 0 ? 0 : deep(levels - 1, released);
    return below + element;
}

TEST_CASE("more elements than fit at first") {
    int released = 0;
    CHECK(deep(399, released) == 600);
    CHECK(released == 400);
    CHECK_FALSE(pv::has_element_refs());
}

TEST_CASE("what is thrown does not leave anything behind") {
    int released = 0;
    try {
        auto x = counted(released);
        auto first = x(0);
        const auto second = x(1);
        throw first + second;
    } catch (const double sum) {
        CHECK(sum == 1);
    }
    CHECK(released == 1);
    CHECK_FALSE(pv::has_element_refs());
}

TEST_CASE("elements of class types") {
    const std::string text = "a string that is long enough to be allocated somewhere";
    auto element = [&] {
        auto x = pv::full<std::string>({3}, text);
        return x(1);
    }();
    CHECK(element == text);
    element += "!";
    CHECK(element == text + "!");
    auto other = [&] {
        auto x = pv::clone(pv::full<std::string>({3}, text));
        return *x.begin();
    }();
    swap(element, other);
    CHECK(other == text + "!");
    CHECK(element == text);
}

TEST_CASE("elements of sparse tensors and of readers") {
    const auto make = [] {
        return pv::sparse_tensor<double>({2, 3}, {1, 5}, std::vector<double>{2, 4});
    };
    const auto check = [](auto take) {
        auto element = take();
        CHECK(element == 2);
        element = 6;
        CHECK(element == 6);
    };
    check([&] {
        auto x = make();
        return x(0, 1);
    });
    check([&] { return make()(0, 1); });
    check([&] {
        auto x = make();
        return x.begin()[1];
    });
    check([&] {
        auto x = make();
        return *(pv::transpose(pv::transpose(x)).begin() + 1);
    });
    CHECK_FALSE(pv::has_element_refs());

    // A reader without memory that nobody keeps: it cannot be read, and says so.
    auto pairs = std::make_shared<pv::SparseBuffer<double>>(6);
    pairs->write(1, 2);
    auto element = (*pairs)[1];
    auto owned = pv::elements(pairs)[1];
    CHECK(element == 2);
    pairs.reset();
    CHECK(element == 2); // `owned` keeps it
    owned = 5;
    CHECK(element == 5);
    auto gone = [] {
        pv::SparseBuffer<double> local(6);
        return local[1];
    }();
    CHECK_THROWS_WITH(gone = 3, "element: the reader that it belonged to is gone");
    CHECK_THROWS_WITH(static_cast<double>(gone), "element: the reader that it belonged to is gone");
}

TEST_CASE("elements that are destroyed on other threads, or after theirs has ended") {
    int released = 0;
    std::unique_ptr<pv::Element<double>> element;
    std::thread([&] {
        auto x = counted(released);
        element.reset(new pv::Element<double>(x(2)));
    }).join();
    CHECK(released == 0);
    CHECK(*element == 2);
    *element = 4;
    CHECK(*element == 4);
    CHECK_THROWS_AS(pv::Element<double>(*element), pv::Error);
    element.reset();
    CHECK(released == 1);

    // A thread that goes on: what an element kept that another thread destroyed, it frees when it registers the next ones.
    std::promise<void> taken;
    std::promise<void> destroyed;
    std::thread goes_on([&] {
        {
            auto x = counted(released);
            element.reset(new pv::Element<double>(x(2)));
        }
        taken.set_value();
        destroyed.get_future().wait();
        auto y = counted(released);
        for (index_t i = 0; i < 100; ++i) y(i % 4) += 1;
        const auto last = y(0);
        CHECK(last == 25);
    });
    taken.get_future().wait();
    CHECK(*element == 2);
    element.reset();
    destroyed.set_value();
    goes_on.join();
    CHECK(released == 3);
}

TEST_CASE("a tensor that goes leaves its share, whoever else holds it") {
    int released = 0;
    auto x = counted(released);
    auto element = [&] {
        auto mine = x;
        return mine(2);
    }();
    // The last handle goes on another thread.
    std::thread([held = std::move(x), &x]() mutable {
        x = pv::MutableTensor<double>();
        held = pv::MutableTensor<double>();
    }).join();
    CHECK(released == 0);
    CHECK(element == 2);
    element = 3;
    CHECK(element == 3);
}

TEST_CASE("memory that is kept is freed as soon as its last element goes") {
    int first = 0;
    int second = 0;
    std::optional<pv::Element<double>> of_first;
    std::optional<pv::Element<double>> of_second;
    {
        auto x = counted(first);
        auto y = counted(second);
        of_first.emplace(x(1));
        of_second.emplace(y(1));
    }
    for (int i = 0; i < 100; ++i) {
        auto z = pv::zeros<double>({3});
        z(1) = i;
        for (auto&& element : z) element += 1;
        CHECK(z(1) == i + 1);
    }
    CHECK((first == 0 && second == 0));
    of_first.reset();
    CHECK((first == 1 && second == 0));
    of_second.reset();
    CHECK((first == 1 && second == 1));
    CHECK_FALSE(pv::has_element_refs());
}

} // namespace

} // namespace element_lifetime_test
