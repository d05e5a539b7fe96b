// A stand-in for a device: what the host's processors do not read is computed there or refused, by every function.
#include <purview/evaluation/backend.hpp>

#include <support/catch.hpp>
#include <support/device_error.hpp>
#include <support/function_families.hpp>
#include <support/walled_backend.hpp>

#include <purview/purview.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace walled_device_test {

namespace {

namespace pv = purview;

const families::Place& behind_a_wall() {
    static const families::Place place{"a wall", "a wall", &oracle::walled,
                                       &oracle::walled_bytes_out};
    return place;
}

TEST_CASE("sorts, searches and groups of what the host does not read") {
    CHECK(families::sorts_and_searches(behind_a_wall()) >= 37);
}
TEST_CASE("scans and windows of what the host does not read") {
    CHECK(families::scans_and_windows(behind_a_wall()) >= 24);
}
TEST_CASE("reductions and statistics of what the host does not read") {
    CHECK(families::reductions_and_statistics(behind_a_wall()) >= 45);
}
TEST_CASE("products, softmax and computations of what the host does not read") {
    CHECK(families::products_and_computations(behind_a_wall()) >= 21);
}
TEST_CASE("elements, iterators and files of what the host does not read") {
    CHECK(families::access_to_elements(behind_a_wall()) >= 15);
}
TEST_CASE("pointers to what the host does not read") { families::pointers(behind_a_wall()); }
TEST_CASE("what is printed behind a wall is copied") { families::printing(behind_a_wall()); }
TEST_CASE("what a tensor behind a wall says of itself needs no elements") {
    families::what_is_said(behind_a_wall());
}
TEST_CASE("views and parts of what the host does not read") {
    CHECK(families::views(behind_a_wall()) >= 22);
}
TEST_CASE("assignments to what the host does not write") {
    CHECK(families::assignments(behind_a_wall()) >= 13);
}
TEST_CASE("types that are not carried behind a wall") { families::types_refused(behind_a_wall()); }

TEST_CASE("explain of a computation behind a wall names the place of each stage") {
    const auto c =
        pv::computation([](auto t) { return std::pair(pv::sum(pv::sq(t - pv::mean(t))), t * 2.0); },
                        pv::spec<double>({2, 3}));
    const auto x = behind_a_wall()(pv::clone(pv::reshape(pv::arange(6.), {2, 3})));
    const int before = oracle::walled_done();
    const std::string text = pv::explain(c, x);
    INFO(text);
    CHECK(oracle::walled_done() == before);
    CHECK(text.find("prepared") == std::string::npos);
    int stages = 0, there = 0;
    for (std::size_t at = 0; (at = text.find("\nstage ", at)) != std::string::npos; ++at) ++stages;
    for (std::size_t at = 0; (at = text.find("way: behind a wall", at)) != std::string::npos; ++at)
        ++there;
    CHECK(stages == 3);
    CHECK(there == stages);
}

TEST_CASE("elements are carried behind a wall, computed there, and come back") {
    const auto& place = behind_a_wall();
    const auto h = pv::clone(pv::reshape(pv::arange(6.), {2, 3}));
    const auto x = place(h);
    const int before = oracle::walled_done();
    const auto y = pv::clone(pv::transpose(x) * 2 + 1);
    CHECK(oracle::walled_done() == before + 1);
    CHECK(y.operand().node->reads(pv::Below::device));
    const auto back = pv::zeros({3, 2});
    pv::copy(y, back);
    CHECK(pv::equals(back, pv::transpose(h) * 2 + 1));
    pv::copy(back, pv::transpose(x));
    CHECK(pv::sum(x) == 36);
    CHECK(oracle::device_error([&] {
              pv::leaf_of(x.operand())->reader().read_into(0, 1, 1, nullptr);
          }).starts_with("read: "));
    CHECK(oracle::device_error([&] {
              pv::leaf_of(x.operand())->writer()->write_from(0, 1, 0, nullptr);
          }).starts_with("write: "));
}

} // namespace

} // namespace walled_device_test
