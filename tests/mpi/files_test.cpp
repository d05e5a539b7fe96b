// Files that all ranks read and write: what save_npy of the whole writes, and what is left where it cannot.

#include "mpi/random_distribution.hpp"
#include "mpi/shared_folder.hpp"
#include "mpi/small_files.hpp"
#include "support/catch.hpp"

#include <purview/mpi/files.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace pm = purview::mpi;
namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Random;
using oracle::SharedFolder;
using pv::index_t;

namespace {

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("a distributed tensor is saved as the whole is, and read in parts") {
    const SharedFolder folder;
    Random random(3);
    for (int round = 0; round < 20; ++round) {
        pv::Shape shape;
        for (index_t left = random.between(1, 3); left > 0; --left)
            shape.push_back(random.one_in(10) ? 0 : random.between(1, 9));
        const auto whole = oracle::random_values(random, shape);
        const auto x = pm::distribute(whole, oracle::random_distribution(random, shape));
        const std::string name = folder / ("x" + std::to_string(round) + ".npy");
        pm::save_npy(name, x);
        const std::string own = folder / ("own" + std::to_string(round) + "_" +
                                          std::to_string(oracle::world().rank()) + ".npy");
        pv::save_npy(own, whole);
        CHECK(bytes_of(name) == bytes_of(own));
        const auto back = pm::load_npy<double>(name, pm::Grid(oracle::world()));
        CHECK(pv::equals(pm::all_gather(back), whole));
        CHECK(back.distribution() == pm::blocks(shape, pm::Grid(oracle::world())));
    }
    const auto flags =
        pm::distribute(pv::arange(0, 12) > 4, pm::blocks({12}, pm::Grid(oracle::world())));
    pm::save_npy(folder / "flags.npy", flags);
    CHECK(pv::equals(pv::load_npy<bool>(folder / "flags.npy"), pv::arange(0, 12) > 4));
    CHECK(pm::load_npy(folder / "flags.npy", pm::Grid(oracle::world())).dtype() == pv::boolean);
    CHECK_THROWS_AS(pm::load_npy<double>(folder / "flags.npy", pm::Grid(oracle::world())),
                    pv::DtypeError);
}

TEST_CASE("where a file cannot be read or written, all ranks hear of it, and none is left behind") {
    const SharedFolder folder;
    const pm::Communicator& world = oracle::world();
    const pm::Grid grid(world);
    const auto x = pm::distribute(pv::ones({40, 5}), pm::blocks({40, 5}, grid));
    CHECK_THROWS_AS(pm::load_npy<double>(folder / "none.npy", grid), pv::FormatError);
    CHECK_THROWS_AS(pm::save_npy(folder / "none/x.npy", x), pv::Error);
    CHECK(folder.count() == 0);
    // Cut off, which the ranks see whose rows are missing, and those who map it.
    pm::save_npy(folder / "x.npy", x);
    pm::collective(world, [&] {
        if (world.rank() == 0) std::filesystem::resize_file(folder / "x.npy", 128 + 40 * 5 * 8 - 1);
    });
    CHECK_THROWS_AS(pm::load_npy<double>(folder / "x.npy", grid), pv::Error);
    // A name that is a folder.
    pm::collective(world, [&] {
        if (world.rank() == 0) std::filesystem::create_directory(folder / "folder.npy");
    });
    CHECK_THROWS_AS(pm::save_npy(folder / "folder.npy", x), pv::Error);
    // Ranks that name different files are told both.
    if (world.size() > 1)
        CHECK_THAT(oracle::thrown<pm::DistributionError>([&] {
                       pm::save_npy(folder / ("x" + std::to_string(world.rank()) + ".npy"), x);
                   }),
                   ContainsSubstring("x0.npy"));
    // A disk that is full for one of the ranks.
    {
        std::optional<oracle::SmallFiles> disk;
        if (world.rank() == world.size() - 1) disk.emplace(130);
        CHECK_THAT(oracle::thrown<pv::Error>([&] { pm::save_npy(folder / "full.npy", x); }),
                   ContainsSubstring("full.npy"));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(folder.count() == 2);
    // The old file stays where a new one is not complete: its elements cannot be saved.
    CHECK_THROWS_AS(
        pm::save_npy(folder / "x.npy", pm::distribute(pv::tensor({std::chrono::duration<float>(1)}),
                                                      pm::blocks({1}, grid))),
        pv::DtypeError);
    CHECK(std::filesystem::file_size(folder / "x.npy") == 128 + 40 * 5 * 8 - 1);
}

TEST_CASE("ranks that load other files, or call another function, are told both") {
    const pm::Communicator& world = oracle::world();
    if (world.size() == 1) return;
    const SharedFolder folder;
    const auto x = pm::distribute(pv::ones({8}), pm::blocks({8}, pm::Grid(world)));
    pm::save_npy(folder / "a.npy", x);
    pm::save_npy(folder / "b.npy", x);
    const bool is_last = world.rank() == world.size() - 1;
    const std::string files = oracle::thrown<pm::DistributionError>(
        [&] { pm::load_npy<double>(folder / (is_last ? "a.npy" : "b.npy"), pm::Grid(world)); });
    CHECK_THAT(files, ContainsSubstring("a.npy") && ContainsSubstring("b.npy"));
    const std::string functions = oracle::thrown<pm::DistributionError>([&] {
        if (is_last)
            pm::load_npy<double>(folder / "a.npy", pm::Grid(world));
        else
            pm::sum(x);
    });
    CHECK_THAT(functions, ContainsSubstring("load_npy") && ContainsSubstring("sum"));
}
