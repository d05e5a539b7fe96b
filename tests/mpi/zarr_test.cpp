// Arrays in Zarr's format that all ranks read and write.

#include "mpi/random_distribution.hpp"
#include "mpi/shared_folder.hpp"
#include "mpi/small_files.hpp"
#include "support/catch.hpp"

#include <purview/mpi/zarr.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace pm = purview::mpi;
namespace pv = purview;
using oracle::Random;
using oracle::SharedFolder;
using pv::index_t;

TEST_CASE("chunks are written and read by the ranks that have them") {
    const SharedFolder folder;
    Random random(4);
    for (int round = 0; round < 8; ++round) {
        const pv::Shape shape{random.between(1, 20), random.between(1, 9)};
        const auto whole = oracle::random_values(random, shape);
        const auto x = pm::distribute(whole, oracle::random_distribution(random, shape));
        const std::string name = folder / ("x" + std::to_string(round) + ".zarr");
        pv::ZarrOptions options;
        options.chunks = {random.between(1, 7), random.between(1, 4)};
        pm::save_zarr(name, x, options);
        CHECK(pv::equals(pv::open_zarr<double>(name), whole));
        const auto back = pm::load_zarr<double>(name, pm::Grid(oracle::world(), {-1, -1}));
        CHECK(pv::equals(pm::all_gather(back), whole));
    }
    const auto x = pm::distribute(pv::ones({6, 2}), pm::blocks({6, 2}, pm::Grid(oracle::world())));
    pm::save_zarr(folder / "shards.zarr", x, {.chunks = {1, 1}, .shards = {2, 2}});
    CHECK(pv::equals(pv::open_zarr<double>(folder / "shards.zarr"), pv::ones({6, 2})));
    CHECK_THROWS_AS(pm::save_zarr(folder / "shards.zarr", x), pv::Error); // it is there already
    CHECK_THROWS_AS(pm::load_zarr<double>(folder / "none.zarr", pm::Grid(oracle::world())),
                    pv::Error);
    CHECK_THROWS_AS(pm::load_zarr<float>(folder / "shards.zarr", pm::Grid(oracle::world())),
                    pv::Error);
}

TEST_CASE("where a rank cannot write, there is no array afterwards") {
    const SharedFolder folder;
    const auto whole = pv::clone(pv::sin(pv::reshape(pv::arange(16000.), {400, 40})));
    const pm::Communicator& world = oracle::world();
    const auto x = pm::distribute(whole, pm::blocks({400, 40}, pm::Grid(world)));
    for (const int format : {2, 3}) {
        const std::string name = folder / ("format" + std::to_string(format) + ".zarr");
        pv::ZarrOptions options;
        options.format = format;
        options.chunks = {40, 40};
        {
            std::optional<oracle::SmallFiles> disk;
            if (world.rank() == world.size() - 1) disk.emplace(4000);
            CHECK_THROWS_AS(pm::save_zarr(name, x, options), pv::Error);
        }
        CHECK_THROWS_AS(pm::load_zarr<double>(name, pm::Grid(world)), pv::Error);
        options.overwrite = true; // of chunks that are left
        pm::save_zarr(name, x, options);
        CHECK(pv::equals(pv::open_zarr<double>(name), whole));
    }
}

TEST_CASE("an array that is replaced stays until the new one is complete") {
    const SharedFolder folder;
    const pm::Communicator& world = oracle::world();
    const pv::Shape shape{400, 40};
    const pm::Distribution d = pm::blocks(shape, pm::Grid(world));
    const auto whole = pv::clone(pv::sin(pv::reshape(pv::arange(16000.), shape)));
    const auto x = pm::distribute(whole, d);
    for (const int format : {2, 3}) {
        const std::string name = folder / ("format" + std::to_string(format) + ".zarr");
        pv::ZarrOptions options;
        options.format = format;
        options.chunks = {40, 40};
        options.overwrite = true; // of nothing
        pm::save_zarr(name, x, options);
        CHECK(pv::equals(pv::open_zarr<double>(name), whole));
        // Of itself, read by all.
        const auto again = pm::load_zarr<double>(name, pm::Grid(world));
        pm::save_zarr(name, pm::evaluate(again.global() + 1., d), options);
        CHECK(pv::equals(pv::open_zarr<double>(name), whole + 1.));
        {
            std::optional<oracle::SmallFiles> disk;
            if (world.rank() == world.size() - 1) disk.emplace(4000);
            CHECK_THROWS_AS(pm::save_zarr(name, x, options), pv::Error);
        }
        CHECK(pv::equals(pv::open_zarr<double>(name), whole + 1.));
        // In other chunks, of another shape and type, by a path that ends in a slash.
        options.chunks = {3, 2};
        const auto smaller =
            pm::distribute(pv::ones<float>({7, 5}), pm::blocks({7, 5}, pm::Grid(world)));
        pm::save_zarr(name + "/", smaller, options);
        CHECK(pv::equals(pv::open_zarr<float>(name), pv::ones<float>({7, 5})));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(folder.count() == 2 + std::filesystem::exists(folder / "zarr.json") +
                                std::filesystem::exists(folder / ".zgroup"));
}
