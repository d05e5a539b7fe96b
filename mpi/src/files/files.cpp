#include <purview/mpi/evaluate.hpp>
#include <purview/mpi/files.hpp>
#include <purview/mpi/moving.hpp>

#include "distributions/describe.hpp"
#include "io/replacement_file.hpp"

#include <purview/evaluation/evaluate.hpp>
#include <purview/io/npy_header.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <vector>

namespace purview::inline v0_1::mpi {
namespace {

constexpr index_t kBlockBytes = index_t{1} << 22;

[[noreturn]] void throw_not_written(const std::string& path, int error) {
    file::throw_system_error("save_npy", "write", path, error);
}

/// Writes the elements of a part one after the other, from an offset on.
void write_elements(const std::string& temporary, const std::string& path, const Operand& part,
                    index_t offset) {
    const index_t bytes = part.dtype().size_bytes();
    const file::Descriptor out(::open(temporary.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!out) throw_not_written(path, errno);
    const Evaluation evaluation(part, Reads::within_one_operation);
    const index_t in_block = std::max<index_t>(kBlockBytes / bytes, 1);
    std::vector<std::byte> block(
        static_cast<std::size_t>(std::min(in_block, part.dims.size()) * bytes));
    for (index_t begin = 0; begin < part.dims.size(); begin += in_block) {
        const index_t count = std::min(in_block, part.dims.size() - begin);
        evaluation.read(begin, count, block.data());
        for (index_t done = 0; done < count * bytes;) {
            const auto written = ::pwrite(out.get(), block.data() + done,
                                          static_cast<std::size_t>(count * bytes - done),
                                          static_cast<::off_t>(offset + begin * bytes + done));
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) throw_not_written(path, errno);
            done += written;
        }
    }
    if (::fsync(out.get()) != 0) throw_not_written(path, errno);
}

} // namespace

AnyDistributed load_npy_any(const std::string& path, const Grid& grid, const DType* dtype) {
    std::optional<AnyTensor> file;
    const ExitNotice exit_notice(grid.communicator().ranks(), "load_npy");
    agree(grid.communicator().ranks(), "load_npy", [&](CallText& call) {
        call.add("", path);
        file = dtype == nullptr ? purview::load_npy(path)
                                : purview::load_npy(path, Access::read_only, *dtype);
        blocks(file->shape(), grid);
    });
    return evaluate_any("load_npy", file->operand(), blocks(file->shape(), grid));
}

void save_npy(const std::string& path, const AnyDistributed& x) {
    constexpr const char* what = "save_npy";
    const Communicator& communicator = x.distribution().communicator();
    Ranks& ranks = communicator.ranks();
    std::string header;
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        header = format_npy_header({.dtype = x.dtype(), .shape = to_shape(x.shape())});
        call.add("", path);
        describe(call, x);
    });
    const Distribution rows = blocks(AxisValues(x.shape()), Grid(communicator));
    const AnyDistributed in_rows = x.distribution() == rows ? x : redistribute_any(x, rows);
    std::unique_ptr<file::ReplacementFile> file; // removed again if anything throws
    collective(ranks, what, [&] {
        if (ranks.rank() != 0) return;
        file = std::make_unique<file::ReplacementFile>(what, path);
        file->write(std::as_bytes(std::span(header)));
    });
    const std::string temporary =
        ranks.text_of(what, 0, file == nullptr ? std::string() : file->temporary());
    collective(ranks, what, [&] {
        index_t row_bytes = x.dtype().size_bytes();
        for (const index_t extent : x.shape().subspan(1)) row_bytes *= extent;
        if (in_rows.local_operand().dims.size() > 0)
            write_elements(temporary, path, in_rows.local_operand(),
                           std::ssize(header) + rows.box().begin[0] * row_bytes);
    });
    collective(ranks, what, [&] {
        if (file != nullptr) file->commit();
    });
}

} // namespace purview
