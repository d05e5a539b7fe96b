#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pv = purview;
using pv::index_t;
using temporary::Folder;

// Writers that are killed, that find the disk full, and that are two.
namespace interrupted_writers_test {
namespace {

/// Whether each chunk of 100 elements is whole: all of one value.
bool are_whole(const pv::Tensor<double>& x) {
    for (index_t chunk = 0; chunk < x.size(); chunk += 100)
        if (!pv::all_of(x(pv::range(chunk, chunk + 100)) == x.read(chunk))) return false;
    return true;
}

TEST_CASE("a writer that is killed leaves whole chunks, and a new array none") {
    const Folder folder;
    const std::string path = folder / "a";
    pv::create_zarr<double>(path, {2000}, {.chunks = {100}, .codecs = {}});
    for (int round = 0; round < 12; ++round) {
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            pv::set_threads(1);
            for (int value = 1;; ++value) {
                const auto z = pv::open_zarr<double, pv::Access::read_write>(path);
                pv::copy(pv::full(pv::Shape{2000}, double(value)), z);
                pv::save_zarr(folder / "saved" + std::to_string(round), z,
                              {.chunks = {10}, .overwrite = true});
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(3 + 2 * round));
        ::kill(child, SIGKILL);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == SIGKILL); // it did not fail before
        pv::drop_cached_chunks();
        CHECK(are_whole(pv::open_zarr<double>(path)));
        // An array that was being saved is whole, or is none.
        const std::string saved = folder / "saved" + std::to_string(round);
        if (std::filesystem::exists(saved + "/zarr.json"))
            CHECK(are_whole(pv::open_zarr<double>(saved)));
        pv::save_zarr(saved, pv::ones<double>({2000}), {.chunks = {10}, .overwrite = true});
        CHECK(pv::sum(pv::open_zarr<double>(saved)) == 2000.);
    }
}

TEST_CASE("a full disk is an error, and the old chunk stays") {
    const Folder folder;
    const std::string path = folder / "a";
    pv::save_zarr(path, pv::ones<double>({4000}), {.chunks = {1000}, .codecs = {}});
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        pv::set_threads(1);
        const rlimit most{5000, 5000};
        ::signal(SIGXFSZ, SIG_IGN);
        if (::setrlimit(RLIMIT_FSIZE, &most) != 0) ::_exit(9);
        const auto says = [](auto&& write) {
            try {
                write();
            } catch (const pv::FormatError& error) {
                return std::string(error.what()).find("File too large") != std::string::npos;
            }
            return false;
        };
        const auto z = pv::open_zarr<double, pv::Access::read_write>(path);
        if (!says([&] { z(7) = 2.; })) ::_exit(1);
        if (z.read(7) != 1.) ::_exit(2);
        if (!says([&] { pv::save_zarr(path + "b", z, {.chunks = {1000}, .codecs = {}}); }))
            ::_exit(3);
        ::_exit(std::filesystem::exists(path + "b/zarr.json") ? 4 : 0);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(pv::sum(pv::open_zarr<double>(path)) == 4000.);
    for (const auto& file : std::filesystem::recursive_directory_iterator(path))
        CHECK(!file.path().filename().string().starts_with(".")); // nothing is left of what failed
}

TEST_CASE("processes and threads write different chunks") {
    const Folder folder;
    const std::string path = folder / "a";
    pv::create_zarr<std::int32_t>(path, {8, 400}, {.chunks = {1, 10}, .shards = {1, 40}});
    std::vector<pid_t> writers;
    for (int row = 0; row < 4; ++row) {
        writers.push_back(::fork());
        REQUIRE(writers.back() >= 0);
        if (writers.back() != 0) continue;
        pv::set_threads(1);
        const auto z = pv::open_zarr<std::int32_t, pv::Access::read_write>(path);
        for (index_t i = 0; i < 400; i += 5)
            pv::copy(pv::full(pv::Shape{5}, row + 1), z(row, pv::range(i, i + 5)));
        ::_exit(0);
    }
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] { // parts of the same shards
                const auto z = pv::open_zarr<std::int32_t, pv::Access::read_write>(path);
                for (index_t row = 4; row < 8; ++row)
                    for (index_t i = t; i < 400; i += 4)
                        z(row, i) = static_cast<std::int32_t>(row + 1);
            });
    }
    for (const pid_t writer : writers) {
        int status = -1;
        REQUIRE(::waitpid(writer, &status, 0) == writer);
        CHECK(status == 0);
    }
    pv::drop_cached_chunks(); // what other processes wrote
    const auto z = pv::open_zarr<std::int32_t>(path);
    for (index_t row = 0; row < 8; ++row) CHECK(pv::sum(z(row, pv::all)) == 400 * (row + 1));
}

TEST_CASE("a shard that is replaced while it is read is the old or the new one") {
    const Folder folder;
    const std::string path = folder / "a";
    pv::create_zarr<std::int64_t>(path, {64}, {.chunks = {4}, .shards = {64}, .codecs = {}});
    const pid_t writer = ::fork();
    REQUIRE(writer >= 0);
    if (writer == 0) {
        pv::set_threads(1);
        for (index_t value = 1;; ++value) {
            // Chunks that are all fill are left out, so that others begin elsewhere.
            const auto z = pv::open_zarr<std::int64_t, pv::Access::read_write>(path);
            pv::copy(pv::compute_tensor({64},
                                        [=](index_t i) -> index_t {
                                            return i / 4 % 3 == value % 3 ? 0 : value * 100 + i;
                                        }),
                     z);
        }
    }
    const auto x = pv::open_zarr<std::int64_t>(path);
    int wrong = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    for (index_t i = 0; std::chrono::steady_clock::now() < end; i = (i + 5) % 64) {
        pv::drop_cached_chunks();
        const index_t value = x.read(i);
        if (value != 0 && value % 100 != i) ++wrong;
    }
    ::kill(writer, SIGKILL);
    int status = -1;
    REQUIRE(::waitpid(writer, &status, 0) == writer);
    CHECK(wrong == 0);
}

} // namespace
} // namespace interrupted_writers_test
