#include "support/source_path.hpp"
#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace pv = purview;

// Stores give the bytes that were put, and nothing outside of them.
namespace stores_test {
namespace {

using Strings = std::vector<std::string>;

void put(pv::Store& store, const std::string& key, std::string_view text) {
    store.put(key, std::as_bytes(std::span(text)));
}

std::string text_of(const std::optional<pv::Store::Bytes>& bytes) {
    if (!bytes) return "(none)";
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

std::string text_into(const pv::Store& store, const std::string& key, pv::index_t offset,
                      std::size_t room) {
    std::string text(room, '-');
    const auto count = store.get_into(key, offset, std::as_writable_bytes(std::span(text)));
    if (!count) return "(none)";
    return text.substr(0, static_cast<std::size_t>(*count));
}

void check_laws(pv::Store& store) {
    CHECK(text_of(store.get("a")) == "(none)");
    CHECK(!store.size("a"));
    CHECK(store.list("").empty());
    put(store, "a/b", "0123456789");
    put(store, "a/c/d", "");
    put(store, "e", "x");
    put(store, "e", "new");
    CHECK(text_of(store.get("a/b")) == "0123456789");
    CHECK(text_of(store.get("a/c/d")).empty());
    CHECK(text_of(store.get("e")) == "new");
    CHECK(text_of(store.get("a/b", {2, 3})) == "234");
    CHECK(text_of(store.get("a/b", {8, 30})) == "89");
    CHECK(text_of(store.get("a/b", {80, 3})).empty());
    CHECK(text_of(store.get("a/b", {-4, 2})) == "67");
    CHECK(text_of(store.get("a/b", {-40, 2})) == "01");
    CHECK(text_of(store.get("a/x", {0, 1})) == "(none)");
    CHECK(text_into(store, "a/b", 4, 20) == "456789");
    CHECK(text_into(store, "a/b", 20, 20).empty());
    CHECK(text_into(store, "a/x", 0, 4) == "(none)");
    std::array<std::byte, 4> four{};
    CHECK(*store.get_into("a/b", 3, four) > 4);
    CHECK(four[3] == std::byte{'6'});
    CHECK(store.size("a/b") == 10);
    CHECK(!store.size("a/b/c"));
    CHECK(store.list("") == Strings{"a", "e"});
    CHECK(store.list("a") == Strings{"b", "c"});
    CHECK(store.list("none").empty());
    store.will_get("a/b", {0, 10});
    store.will_get("none", {0, 10});
    store.erase("e");
    store.erase("e");
    store.erase("none/e");
    CHECK(text_of(store.get("e")) == "(none)");
    CHECK(store.list("") == Strings{"a"});
    for (const std::string_view key : {"../a", "a/../b", "/a", "a//b", "a/", "", ".", ".."}) {
        INFO(key);
        CHECK_THROWS_AS(put(store, std::string(key), "x"), pv::FormatError);
    }
}

/// One that defines only what it has to.
class LeastStore final : public pv::Store {
public:
    std::optional<Bytes> get(const std::string& key) const override { return inner_->get(key); }
    std::optional<pv::index_t> size(const std::string& key) const override {
        return inner_->size(key);
    }
    Strings list(const std::string& prefix) const override { return inner_->list(prefix); }
    void put(const std::string& key, std::span<const std::byte> value) override {
        inner_->put(key, value);
    }
    void erase(const std::string& key) override { inner_->erase(key); }

private:
    std::shared_ptr<pv::Store> inner_ = pv::memory_store();
};

TEST_CASE("folders, memory and derived stores follow the same laws") {
    const temporary::Folder folder;
    const auto files = pv::directory_store(folder / "store");
    check_laws(*files);
    check_laws(*pv::memory_store());
    LeastStore least;
    check_laws(least);
}

TEST_CASE("directory_store reads regular files alone, and does not wait for pipes") {
    const temporary::Folder folder;
    const auto store = pv::directory_store(folder / "");
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK_THROWS_AS(store->get("pipe"), pv::FormatError);
    CHECK_THROWS_AS(store->size("pipe"), pv::FormatError);
    CHECK_THROWS_AS(store->will_get("pipe", {0, 1}), pv::FormatError);
    CHECK_THROWS_AS(pv::open_zarr(folder / "pipe"), pv::FormatError);
    REQUIRE(::mkfifo((folder / "zarr.json").c_str(), 0600) == 0);
    CHECK_THROWS_AS(pv::open_zarr(folder / ""), pv::FormatError);
    CHECK_THROWS_AS(pv::directory_store(std::string("a\0b", 3)), pv::Error);
    CHECK_THROWS_AS(pv::zip_store(folder / "pipe"), pv::FormatError);
    CHECK_THROWS_AS(pv::zip_store(folder / "none.zip"), pv::FormatError);
    temporary::fs::create_directory(folder / "inner");
    CHECK_THROWS_AS(store->get("inner"), pv::FormatError);
}

TEST_CASE("erasing and putting leave the other files of a folder alone") {
    const temporary::Folder folder;
    const auto store = pv::directory_store(folder / "");
    put(*store, "c/0", "first");
    put(*store, "c/1", "second");
    put(*store, "c/0", "replaced");
    CHECK(temporary::content(folder / "c/0") == "replaced");
    CHECK(store->list("c") == Strings{"0", "1"});
    store->erase("c/0");
    CHECK(store->list("c") == Strings{"1"});
    CHECK(temporary::content(folder / "c/1") == "second");
}

TEST_CASE("zips are read-only, and damaged ones are refused") {
    const std::string whole = temporary::content(source_path("tests/zarr/data/arrays.zip"));
    const temporary::Folder folder;
    CHECK_THROWS_AS(put(*pv::zip_store(source_path("tests/zarr/data/arrays.zip")), "a", "x"),
                    pv::ReadOnlyError);
    CHECK_THROWS_AS(pv::zip_store(source_path("tests/zarr/data/arrays.zip"))->erase("a"),
                    pv::ReadOnlyError);
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
        const std::string path = folder / ("cut" + std::to_string(length) + ".zip");
        temporary::write_file(path, std::string_view(whole).substr(0, length));
        CHECK_THROWS_AS(pv::open_zarr_group(path).arrays(), pv::FormatError);
    }
    // Whatever is changed in the members or in the list of them: elements, or an error.
    for (std::size_t place = 30; place < whole.size(); place += whole.size() / 97) {
        std::string changed = whole;
        changed[place] = static_cast<char>(changed[place] ^ 0x5a);
        const std::string path = temporary::write_file(folder / "changed.zip", changed);
        try {
            const pv::StoredGroup group = pv::open_zarr_group(path).group("v3");
            for (const char* const name : {"int32", "sharded_holes", "codec_blosc_lz4_shuffle"})
                static_cast<void>(pv::cast<double>(group.array(name).values).as<double>().read(0));
        } catch (const pv::Error&) {}
    }
}

} // namespace
} // namespace stores_test
