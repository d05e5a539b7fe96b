#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/purview.hpp>

#include <string>
#include <utility>
#include <vector>

namespace moved_from_test {

// What was moved from is as it was, or says in one sentence that it was moved from.

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

} // namespace

TEST_CASE("An index set that was moved from is the set that it was") {
    pv::IndexSet set{1, 5, 9};
    pv::IndexSet other(std::move(set));
    CHECK(set == other);
    CHECK((set.size() == 3 && set.contains(5) && set.select(2) == 9 && set.rank(9) == 2));
    pv::IndexSet third;
    third = std::move(set);
    CHECK((set | third) == pv::IndexSet{1, 5, 9});
    CHECK(pv::to_vector(pv::tensor(set.reader())) == std::vector<pv::index_t>{1, 5, 9});
}

TEST_CASE("A mapped file that was moved from is still mapped") {
    const temporary::Folder folder;
    const std::string path = temporary::write_file(folder / "bytes", "abcd");
    pv::MappedFile file(path);
    pv::MappedFile other(std::move(file));
    CHECK((file.size_bytes() == 4 && file.bytes()[3] == std::byte{'d'} && file.path() == path));
    pv::MappedFile third(path);
    third = std::move(other);
    CHECK((other.size_bytes() == 4 && other.storage() == third.storage()));
    CHECK_THROWS_AS(other.writable_bytes(), pv::ReadOnlyError);
}

TEST_CASE("An index of a tensor that was moved from selects what it selected") {
    const auto x = pv::tensor({{1, 2}, {3, 4}});
    const auto selects = [&](pv::TensorIndex index, const std::vector<int>& expected) {
        const pv::TensorIndex other(std::move(index));
        CHECK(pv::to_vector(x(index)) == expected);
        CHECK(pv::to_vector(x(other)) == expected);
    };
    selects(1, {3, 4});
    selects(pv::all, {1, 2, 3, 4});
    selects(pv::range(0, 1), {1, 2});
    selects(pv::indexes({1, 0}), {3, 4, 1, 2});
    selects(pv::IndexSet{1}, {3, 4});
}

TEST_CASE("Tensors that were moved from are what they were, and Dims say that they were") {
    auto x = pv::tensor({1, 2});
    const auto y = std::move(x);
    CHECK((x.size() == 2 && x(1) == 2 && y(1) == 2));
    pv::AnyTensor any = y;
    const pv::AnyTensor moved = std::move(any);
    CHECK(any.as<int>().read(1) == 2);

    pv::Dim i("i", 2);
    const pv::Dim j(std::move(i));
    CHECK((j.name() == "i" && j.size() == 2));
    CHECK_THROWS_WITH(i.name(), ContainsSubstring("moved from"));
    CHECK_THROWS_WITH(y(i), ContainsSubstring("moved from"));
}

} // namespace moved_from_test
