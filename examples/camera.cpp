/// Frames of a camera, appended to an array as they come, while another process looks at the latest of them; then an
/// overview at a quarter of the size.
///     camera [folder [frames [rows [columns]]]]        1000 1080 1920: 2 GB

#include "check.hpp"

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace pv = purview;

namespace {

/// A bright square that moves over a gradient.
pv::Tensor<std::uint8_t> frame(pv::index_t number, pv::index_t rows, pv::index_t columns) {
    return pv::compute_tensor(
        {1, rows, columns}, [=](pv::index_t, pv::index_t row, pv::index_t column) -> std::uint8_t {
            const bool is_square = (column + number) % columns < 16 && row < 16;
            return is_square ? 255 : static_cast<std::uint8_t>((row + column + number) % 128);
        });
}

/// In another process: opens the array again and again, until it has all frames. Returns 0 if each that it saw was
/// whole.
int watch(const std::string& path, pv::index_t frames) {
    for (pv::index_t seen = 0; seen < frames;) {
        // [watch]
        pv::Tensor<std::uint8_t> film = pv::open_zarr<std::uint8_t>(path);
        // [/watch]
        const pv::index_t there = film.shape()[0];
        if (there == seen) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        const pv::index_t rows = film.shape()[1], columns = film.shape()[2];
        if (!pv::equals(film(pv::range(there - 1, there)), frame(there - 1, rows, columns)))
            return 1;
        seen = there;
    }
    return 0;
}

} // namespace

int main(int count, char** arguments) {
    const std::string folder = count > 1 ? arguments[1] : "camera";
    const auto number = [&](int i, pv::index_t otherwise) {
        return count > i ? static_cast<pv::index_t>(std::atoll(arguments[i])) : otherwise;
    };
    const pv::index_t frames = number(2, 24), rows = number(3, 64), columns = number(4, 96);
    std::filesystem::remove_all(folder);
    pv::set_memory_limit(256 << 20);
    const std::string path = folder + "/film";

    // [record]
    pv::create_zarr<std::uint8_t>(path, {0, rows, columns}, {.chunks = {1, rows, columns}});
    // [/record]
    const pid_t watcher = ::fork();
    if (watcher == 0) ::_exit(watch(path, frames));
    for (pv::index_t i = 0; i < frames; ++i) {
        auto image = frame(i, rows, columns);
        // [append]
        pv::append_zarr(path, image); // one chunk, then the new length
        // [/append]
    }
    int status = -1;
    ::waitpid(watcher, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "every frame was seen whole");

    // [overview]
    auto film = pv::open_zarr<std::uint8_t>(path);
    auto corner = [&](int row, int column) {
        return pv::cast<std::uint16_t>(
            film(pv::all, pv::range(row, rows, 2), pv::range(column, columns, 2)));
    };
    auto small = (corner(0, 0) + corner(0, 1) + corner(1, 0) + corner(1, 1)) / std::uint16_t{4};
    pv::save_zarr(folder + "/overview", pv::cast<std::uint8_t>(small),
                  {.chunks = {16, rows / 2, columns / 2}}); // lazy until here: chunk by chunk
    // [/overview]
    auto overview = pv::open_zarr<std::uint8_t>(folder + "/overview");
    check(overview.shape() == pv::Shape{frames, rows / 2, columns / 2}, "a quarter of the pixels");
    check(overview(0, 0, 0) == 255, "the square is where it was");
    const pv::ChunkStatistics counts = pv::chunk_statistics();
    std::cout << counts.chunks_read << " chunks read, " << counts.chunks_written << " written, "
              << counts.peak_bytes / (1 << 20) << " MiB at most\n";
    return exit_status();
}
