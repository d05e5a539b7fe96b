// Arrays in Zarr's format that all ranks read and write.

#include "mpi/random_distribution.hpp"
#include "mpi/shared_folder.hpp"
#include "mpi/small_files.hpp"
#include "support/catch.hpp"
#include "support/settings.hpp"

#include <purview/mpi/zarr.hpp>

#include <purview/evaluation/chunk_memory.hpp>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace pm = purview::mpi;
namespace pv = purview;
using oracle::Random;
using oracle::SharedFolder;
using oracle::world;
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

namespace {

pv::ZarrOptions random_options(Random& random, index_t most) {
    pv::ZarrOptions options;
    options.chunks = {random.between(1, most), random.between(1, most)};
    if (random.one_in(3))
        options.shards = {options.chunks[0] * random.between(1, 3),
                          options.chunks[1] * random.between(1, 3)};
    return options;
}

} // namespace

TEST_CASE("what is stored is computed from as what is in memory") {
    const SharedFolder folder;
    const pm::Communicator& world = oracle::world();
    Random random(11);
    const oracle::MemoryLimit limit(1 << 14);
    for (int round = 0; round < 12; ++round) {
        const pv::Shape shape{random.between(1, 60), random.between(1, 40)};
        const auto whole = oracle::random_values(random, shape);
        const std::string name = folder / ("x" + std::to_string(round) + ".zarr");
        pm::save_zarr(name, pm::distribute(whole, oracle::random_distribution(random, shape)),
                      random_options(random, 8));
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const auto x = random.one_in(3) ? pm::open_zarr<double>(name, pm::Grid(world, {-1, -1}))
                                        : pm::open_zarr<double>(name, d);
        CHECK_FALSE(x.is_in_memory());
        CHECK(pv::equals(x.AnyDistributed::local().as<double>(),
                         pm::distribute(whole, x.distribution()).local()));

        CHECK(pm::sum(x) == pv::sum(whole));
        CHECK(pm::max(pv::sq(x.global()) - x.global()) == pv::max(pv::sq(whole) - whole));
        CHECK(pm::argmin(x) == pv::argmin(whole));
        CHECK(pv::equals(pm::all_gather(pm::mean(x, 0)), pv::mean(whole, {0})));
        CHECK(pv::equals(pm::all_gather(pm::sum(x, 1)), pv::sum(whole, {1})));

        const auto stencil = [](auto t) {
            return pv::rotate(t, {1, 0}) + pv::rotate(t, {0, -1}) - t;
        };
        CHECK(pm::sum(pv::abs(stencil(x.global()))) == pv::sum(pv::abs(stencil(whole))));
        const auto y = pm::evaluate(stencil(x.global()), d);
        CHECK(pv::equals(pm::all_gather(y), stencil(whole)));
        // Beside what lies in memory elsewhere.
        const auto z = pm::distribute(whole, oracle::random_distribution(random, shape));
        CHECK(pv::equals(pm::all_gather(pm::evaluate(z.global() * x.global(), d)), whole * whole));
        CHECK(pv::equals(pm::all_gather(pm::evaluate(pv::transpose(x.global()),
                                                     pm::blocks({shape[1], shape[0]}, d.grid()))),
                         pv::transpose(whole)));

        CHECK(pv::equals(pm::all_gather(x), whole));
        CHECK(pv::equals(pm::all_gather(pm::redistribute(x, d)), whole));
        CHECK(pv::equals(pm::all_gather(pm::sort(x, 1)), pv::sort(whole, 1)));
        CHECK(pv::equals(pm::all_gather(pm::sort(x, 0)), pv::sort(whole, 0)));
        CHECK(pv::equals(pm::all_gather(pm::cumsum(x, 0)), pv::cumsum(whole, 0)));
        CHECK(pv::equals(pm::unique(x), pv::unique(whole)));
        CHECK(pm::median(x) == pv::median(whole));
        const pv::Histogram counted = pm::histogram(x, 5);
        CHECK(pv::equals(counted.counts, pv::histogram(whole, 5).counts));
        const auto [keys, sums] = pm::group_by_reduce(x, z, pv::sum);
        CHECK(pv::equals(keys, pv::unique(whole)));
        CHECK(pv::sum(sums) == pv::sum(whole));
        const auto rows = pv::tensor<index_t>({0, shape[0] - 1, 0});
        const auto taken = pv::take(x.global(), rows, 0);
        CHECK(pv::equals(pm::all_gather(pm::evaluate(taken, pm::blocks({3, shape[1]}, d.grid()))),
                         pv::take(whole, rows, 0)));
    }
}

TEST_CASE("elements that are stored are not sent") {
    const SharedFolder folder;
    const pm::Communicator& world = oracle::world();
    const pm::Distribution d = pm::blocks({30, 8}, pm::Grid(world));
    const auto whole = pv::clone(pv::sin(pv::reshape(pv::arange(240.), {30, 8})));
    pm::save_zarr(folder / "x.zarr", pm::distribute(whole, d), {.chunks = {4, 8}});
    const auto x = pm::open_zarr<double>(folder / "x.zarr", d);
    const auto before = pm::messages();
    const auto y = pm::evaluate(pv::rotate(x.global(), {1, 0}) + x.global(), d);
    CHECK(pm::messages().with_elements == before.with_elements);
    CHECK(pv::equals(pm::all_gather(y), pv::rotate(whole, {1, 0}) + whole));
    // Not the plan of what lies in memory, of the same structure.
    const auto in_memory = pm::load_zarr<double>(folder / "x.zarr", pm::Grid(world));
    const auto z = pm::evaluate(pv::rotate(in_memory.global(), {1, 0}) + in_memory.global(), d);
    CHECK(pv::equals(z.local(), y.local()));
    // Each chunk is read once, by the rank that has it.
    pv::drop_cached_chunks();
    pv::reset_chunk_statistics();
    const auto in_chunks = pm::open_zarr<double>(folder / "x.zarr", pm::Grid(world));
    CHECK(pm::max(in_chunks) == pv::max(whole));
    CHECK(pm::all_sum(pv::chunk_statistics().chunks_read, world) == 8);
}

TEST_CASE("parts that are stored are read-only") {
    const SharedFolder folder;
    const pm::Communicator& world = oracle::world();
    const pm::Distribution d = pm::blocks({6, 2}, pm::Grid(world));
    const auto ones = pm::distribute(pv::ones({6, 2}), d);
    pm::save_zarr(folder / "x.zarr", ones);
    const auto x = pm::open_zarr<double>(folder / "x.zarr", d);
    CHECK_THROWS_AS(x.local(), pv::ReadOnlyError);
    CHECK_THROWS_AS(pm::assign(ones.global(), x), pv::ReadOnlyError);
    CHECK_THROWS_AS(pm::open_zarr<double>(folder / "x.zarr", pm::blocks({6, 3}, pm::Grid(world))),
                    pv::ShapeError);
    CHECK_THROWS_AS(pm::open_zarr<float>(folder / "x.zarr", d), pv::Error);
    CHECK_THROWS_AS(pm::distribute_lazily(ones.global(), d), pm::DistributionError);
    CHECK_THROWS_AS(pm::blocks_of_chunks({6, 2}, pm::Grid(world), {2}), pv::ShapeError);
    CHECK_THROWS_AS(pm::blocks_of_chunks({6, 2}, pm::Grid(world), {2, 0}), pv::ShapeError);
    const pm::Distribution chunks = pm::blocks_of_chunks({10, 2}, pm::Grid(world), {4, 1});
    index_t end = 0;
    for (int rank = 0; rank < world.size(); ++rank) {
        CHECK(chunks.box(rank).begin[0] == end);
        end = chunks.box(rank).end[0];
        CHECK((end % 4 == 0 || end == 10));
    }
    CHECK(end == 10);
}

TEST_CASE("a chunk that is damaged is an error on all ranks") {
    const SharedFolder folder;
    const pm::Communicator& world = oracle::world();
    const pm::Distribution d = pm::blocks({12, 2}, pm::Grid(world));
    pv::ZarrOptions options;
    options.format = 2;
    options.chunks = {2, 2};
    pm::save_zarr(folder / "x.zarr", pm::distribute(pv::ones({12, 2}), d), options);
    const auto x = pm::open_zarr<double>(folder / "x.zarr", d);
    MPI_Barrier(MPI_COMM_WORLD);
    if (world.rank() == 0) std::ofstream(folder / "x.zarr/0.0") << "no chunk";
    MPI_Barrier(MPI_COMM_WORLD);
    pv::drop_cached_chunks();
    CHECK_THROWS_AS(pm::sum(x), pv::FormatError);
    CHECK_THROWS_AS(pm::evaluate(x.global() + 1., d), pv::FormatError);
    CHECK_THROWS_AS(pm::save_zarr(folder / "y.zarr", x), pv::FormatError);
    CHECK_THROWS_AS(pm::open_zarr<double>(folder / "y.zarr", d), pv::Error);
    CHECK(pm::sum(x.global()(pv::range(2, 12))) == 20);
}

TEST_CASE("an expression is stored box by box") {
    const SharedFolder folder;
    const pm::Communicator& world = oracle::world();
    Random random(12);
    for (int round = 0; round < 8; ++round) {
        const oracle::MemoryLimit limit((1 << 13) +
                                        1000 * world.rank()); // a quarter of the least is taken
        const pv::Shape shape{random.between(1, 70), random.between(1, 50)};
        const auto whole = oracle::random_values(random, shape);
        const std::string name = folder / ("x" + std::to_string(round) + ".zarr");
        const auto x = pm::distribute(whole, oracle::random_distribution(random, shape));
        pm::save_zarr(name, x.global() + pv::rotate(x.global(), {0, 1}), world,
                      random_options(random, 5));
        const auto stored = pv::clone(whole + pv::rotate(whole, {0, 1}));
        CHECK(pv::equals(pv::open_zarr<double>(name), stored));
        // In the place of what it reads.
        pv::ZarrOptions options = random_options(random, 5);
        options.overwrite = true;
        const auto y = pm::open_zarr<double>(name, x.distribution());
        pm::save_zarr(name, y.global() * 2., world, options);
        CHECK(pv::equals(pv::open_zarr<double>(name), stored * 2.));
        const auto rows = pv::tensor<index_t>({0, shape[0] - 1, 0});
        pm::save_zarr(name + "-taken", pv::take(x.global(), rows, 0), world);
        CHECK(pv::equals(pv::open_zarr<double>(name + "-taken"), pv::take(whole, rows, 0)));
    }
}

TEST_CASE("an array that is replaced is read anew by all ranks") {
    const oracle::SharedFolder folder;
    const std::string path = folder / "x";
    const auto d = pm::blocks({6}, pm::Grid(world()));
    pm::save_zarr(path, pm::distribute(pv::zeros({6}), d), {.chunks = {2}});
    const auto before = pm::open_zarr<double>(path, d);
    CHECK(pm::sum(before) == 0); // its chunks are cached, and stay so as long as somebody has it
    pm::save_zarr(path, before.global() + 1, world(), {.chunks = {2}, .overwrite = true});
    CHECK(pm::sum(pm::open_zarr<double>(path, d)) == 6);
    CHECK(
        pv::equals(pm::all_gather(pm::load_zarr<double>(path, pm::Grid(world()))), pv::ones({6})));
    if (world().size() == 1) return;
    const std::string other = folder / (world().rank() == 1 ? "x" : "y");
    CHECK_THROWS_AS(pm::save_zarr(other, pm::distribute(pv::ones({6}), d), {.chunks = {2}}),
                    pm::DistributionError);
    CHECK_THROWS_AS(pm::open_zarr<double>(other, d), pv::Error);
}
