/// Buffers of others, taken in and handed out without a copy: docs/interop.md shows parts of this file.

#include "check.hpp"

#include <purview/dtype/half.hpp>
#include <purview/interop/arrow.hpp>
#include <purview/interop/arrow_stream.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/interop/dlpack.hpp>
#include <purview/interop/shared_buffer.hpp>
#include <purview/interop/view_as.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace pv = purview;

namespace {

void exchange_dlpack() {
    // [dlpack]
    auto made = pv::to_dlpack(pv::arange(6.0) | pv::reshape({2, 3})); // co-owns the elements
    auto* managed = made.release();                                   // for whoever takes it

    pv::AnyTensor t = pv::from_dlpack(managed); // its deleter is called with the last tensor
    auto sum = pv::sum(t.as<double>());         // 15
    // [/dlpack]
    check(sum == 15, "the exchanged sum");

    // [dlpack-copy]
    auto lazy = pv::arange(6.0) * 2;
    auto copied = pv::to_dlpack(lazy); // Copy::if_needed: an expression becomes memory
    check_throws<pv::ShapeError>([&] { pv::to_dlpack(lazy, pv::Copy::never); }, "computed");
    // [/dlpack-copy]
    check(static_cast<double*>(copied->dl_tensor.data)[5] == 10, "the copy");
}

void exchange_arrow() {
    using namespace std::chrono;
    // [arrow]
    auto price = pv::tensor({1.5, 2.5, 4.0});
    auto pixels = pv::reshape(pv::arange(12), {3, 2, 2}); // rows first: 2 × 2 for each row
    pv::Columns table{{"price", price, std::vector{false, true, false}}, {"pixels", pixels}};

    pv::arrow::Export out = pv::to_arrow(table); // price lies where it lay; a bitmap is new
    // whoever is given &out.array and &out.schema takes them over, as we do here:
    pv::Columns again = pv::from_arrow(&out.array, &out.schema);
    auto total = pv::sum(again.get<double>("price")); // 8: gaps are what lay there
    // [/arrow]
    check(total == 8 && again["price"].missing(1), "the exchanged table");
    check(pv::equals(again["pixels"].values, pixels), "the exchanged tensors");

    pv::arrow::Array array;
    pv::arrow::Schema schema;
    pv::to_arrow(table).move_to(&array, &schema);
    // [arrow-fill]
    pv::Columns filled = pv::from_arrow(&array, &schema, {.fill = 0});
    auto known = pv::sum(filled.get<double>("price")); // 5.5
    // [/arrow-fill]
    check(known == 5.5, "the filled sum");

    // [arrow-zone]
    pv::Column when("when", pv::tensor(std::vector{sys_seconds(1'600'000'000s)}));
    when.time_zone = "Europe/Vienna"; // exported as timestamp[s, tz=Europe/Vienna]
    pv::arrow::Export column = pv::to_arrow(when);
    pv::Column seen = pv::column_from_arrow(&column.array, &column.schema);
    // [/arrow-zone]
    check(seen.time_zone == "Europe/Vienna", "the zone");
}

void stream_arrow() {
    // [arrow-stream]
    int made = 0;
    auto next = [&]() -> std::optional<pv::Columns> { // called when a batch is asked for
        if (made == 3) return std::nullopt;
        return pv::Columns{{"price", pv::arange(4.0) + 4 * made++}};
    };
    pv::arrow::StreamExport out = pv::to_arrow_stream(next); // or of a vector, or of any range
    // whoever is given &out.stream takes it over, as we do here:
    pv::arrow::Batches batches = pv::from_arrow_stream(&out.stream);
    double total = 0;
    for (const pv::Columns& batch : batches) total += pv::sum(batch.get<double>("price"));
    // [/arrow-stream]
    check(total == 66, "the sum of all batches");

    made = 0;
    out = pv::to_arrow_stream(next);
    // [arrow-stream-all]
    pv::Columns table = pv::from_arrow_stream(&out.stream).read_all(); // lazily joined
    // [/arrow-stream-all]
    check(table.rows() == 12, "the rows of all batches");
}

} // namespace

struct ArrowSchema;
struct ArrowArray;
/// As Arrow's header for the C stream interface has it.
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

// [arrow-stream-c]
extern "C" int get(ArrowArrayStream* out) {
    pv::to_arrow_stream(std::vector{pv::Columns{{"price", pv::arange(4.0)}}}).move_to(out);
    return 0; // from now on the stream is the caller's, who releases it
}
// [/arrow-stream-c]

namespace {

void stream_to_c() {
    ArrowArrayStream stream;
    check(get(&stream) == 0, "the stream is handed out");
    check(pv::from_arrow_stream(&stream).read_all().rows() == 4, "its rows");
}

void describe_memory() {
    // [descriptor]
    struct Record {
        std::int32_t id;
        float weight;
    };
    Record records[] = {{1, 0.5F}, {2, 1.5F}, {3, 2.5F}};
    pv::MemoryDescriptor weights{.pointer = &records[0].weight,
                                 .dtype = pv::float32,
                                 .shape = {3},
                                 .strides = {sizeof(Record)}, // in bytes
                                 .read_only = false};
    auto w = pv::borrow(weights).as_mutable<float>();
    w *= 2;
    // [/descriptor]
    check(records[2].weight == 5, "written through");

    // [json]
    std::string text = pv::to_json(pv::describe(w)); // {"ptr": …, "datatype": "float32", …}
    pv::AnyTensor same = pv::borrow(pv::descriptor_from_json(text));
    // [/json]
    check(pv::equals(same.as<float>(), w), "the same memory");

    // [byte-order]
    std::uint8_t packet[] = {0x00, 0x01, 0x01, 0x00}; // two uint16 as networks send them
    pv::AnyTensor ports = pv::borrow(pv::MemoryDescriptor{.pointer = packet,
                                                          .dtype = pv::uint16,
                                                          .shape = {2},
                                                          .strides = {2},
                                                          .byte_order = std::endian::big});
    // [/byte-order]
    check(ports(0).item<std::uint16_t>() == 1 && ports(1).item<std::uint16_t>() == 256, "ports");
}

void view_bytes() {
    // [view-as]
    auto pixels = pv::full({2, 2}, std::int32_t{0x01020304});
    auto channels = pv::view_as<std::uint8_t>(pixels); // [2 2 4], the same bytes
    channels(pv::all, pv::all, 0) = std::uint8_t{0xff};

    auto z = pv::tensor({std::complex<float>(1, 2), std::complex<float>(3, 4)});
    auto parts = pv::view_as<float>(z); // [2 2]: real and imaginary parts
    // [/view-as]
    check(parts(1, 0) == 3, "the real part");
    check(std::endian::native != std::endian::little || pixels(0, 0) == 0x010203ff, "pixels");
}

void store_halves() {
    // [half]
    auto h = pv::tensor({pv::Half(0.1), pv::Half(65504)}); // float16: two bytes each
    pv::Half first = h(0);
    float twice = 2 * first;          // computed with as a float,
    pv::Tensor<float> scaled = 2 * h; // and tensors too
    h(pv::all) = scaled / 4;          // rounded once
    // [/half]
    check(float(pv::Half(h(1))) == 32752, "half of the largest");
    check(twice > 0.1999F && twice < 0.2F, "a half");
}

void share_memory() {
    const std::string name = "purview-example-" + std::to_string(::getpid());
    // [shared]
    auto counts = pv::tensor(pv::shared_buffer<std::int64_t>(name, 6), {2, 3});
    if (::fork() == 0) { // any other process that knows the name
        auto theirs = pv::tensor(pv::shared_buffer<std::int64_t>(name, 6), {2, 3});
        theirs(1, pv::all) = 7;
        ::_exit(0);
    }
    ::wait(nullptr);
    // counts(1, all) is 7 7 7; the memory goes with the last process
    // [/shared]
    check(counts(1, 2) == 7 && counts(0, 0) == 0, "what the other process wrote");
}

} // namespace

int main() {
    exchange_dlpack();
    exchange_arrow();
    stream_arrow();
    stream_to_c();
    describe_memory();
    view_bytes();
    store_halves();
    share_memory();
    return exit_status();
}
