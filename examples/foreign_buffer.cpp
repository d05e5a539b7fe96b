/// Memory that somebody else has allocated, seen and written as tensors, without a copy: a vector, a C
/// array, memory of a C library that has to be freed its own way, a mapped file, `.npy` and safetensors files.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pv = purview;

void a_vector() {
    // [vector]
    std::vector<float> samples{0, 1, 2, 3, 4, 5};
    const float* const memory = samples.data();
    const auto matrix = pv::tensor(std::move(samples), {2, 3}); // moved in: the tensor owns it now
    pv::fill(matrix(pv::all, 1), -1.0f);                        // a column, written through a view
    // [/vector]
    std::cout << matrix << '\n';
    check(memory[1] == -1 && memory[4] == -1, "the vector's memory itself was written");
    check(pv::shares_storage(matrix, matrix | pv::transpose), "a view shares the storage");
}

void a_c_array() {
    // [array]
    int board[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const auto t = pv::borrow(&board[0][0], {2, 3});          // borrowed: `board` has to outlive t
    const auto backwards = t(pv::all, pv::range({}, {}, -1)); // negative strides
    backwards(0, 0) = 30;
    pv::copy(t(1, pv::all) * 10, t(1, pv::all));
    // [/array]
    std::cout << t << '\n';
    check(board[0][2] == 30, "writing through a reversed view");
    check(board[1][0] == 40 && board[1][2] == 60, "copy into a row of the array");
    check(backwards.strides() == pv::Shape{3, -1}, "a reversed axis has a negative stride");

    const int fixed[] = {1, 2, 3};
    const pv::Tensor<int> readable = pv::borrow(fixed); // const: a tensor that only reads
    check(pv::sum(readable) == 6, "a const array can be read");
    check_throws<pv::ShapeError>([&] { pv::borrow(std::span(fixed), {2, 2}); }, "borrow");
}

/// What a C library might look like.
struct Frame {
    std::uint8_t* pixels;
    int height, width, pitch; // rows are `pitch` bytes apart
};
int frames_alive = 0;
Frame acquire_frame() {
    ++frames_alive;
    return {static_cast<std::uint8_t*>(std::calloc(4, 8)), 4, 6, 8};
}
void release_frame(Frame* frame) {
    --frames_alive;
    std::free(frame->pixels);
    delete frame;
}

void a_custom_deleter() {
    // [owner]
    pv::Tensor<double> brightness;
    {
        const std::shared_ptr<Frame> frame(new Frame(acquire_frame()), release_frame);
        const auto pixels =
            pv::wrap(frame->pixels, {frame->height, frame->width}, {frame->pitch, 1}, frame);
        pv::fill(pixels(pv::range(1, 3), pv::all), 255);
        brightness = pixels / 255.0; // lazy, and it keeps the frame
    }
    // [/owner]
    std::cout << brightness << '\n';
    check(frames_alive == 1, "an expression over the frame keeps it alive");
    check(pv::mean(brightness) == 0.5, "two rows of four are bright");
    brightness = {};
    check(frames_alive == 0, "the frame was released with its last reader");
}

void a_mapped_file() {
    const std::string path = "foreign_buffer.bin";
    const std::vector<std::int32_t> written{1, 2, 3, 4, 5, 6};
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(written.data()), sizeof(std::int32_t) * 6);
    {
        // [mapped]
        const pv::MappedFile file(path, pv::MapMode::read_write);
        const auto table = pv::tensor(pv::mapped_buffer<std::int32_t>(file), {2, 3});
        const auto turned = table | pv::transpose; // reads the file where it is touched
        turned(2, 0) = 300;                        // and writes it
        // [/mapped]
        std::cout << turned << '\n';
        check(turned.description().storage == table.description().storage, "one mapping");
    }
    const auto again = pv::tensor(pv::mapped_const_buffer<std::int32_t>(path));
    check(again(2) == 300, "the write reached the file");
    check_throws<pv::FormatError>([&] { pv::MappedFile("no such file"); }, "no such file");
}

void a_saved_array() {
    // [npy]
    pv::save_npy("ramp.npy", pv::arange(6.) | pv::reshape({2, 3})); // as NumPy's np.save
    const auto ramp = pv::load_npy<double, pv::Access::read_write>("ramp.npy"); // mapped
    ramp(0, 0) = 60;                                                            // writes the file
    // [/npy]
    std::cout << ramp << '\n';
    check(pv::max(pv::load_npy<double>("ramp.npy")) == 60, "the write reached the .npy file");
    check_throws<pv::DtypeError>([&] { pv::load_npy<int>("ramp.npy"); }, "float64");
}

void a_saved_model() {
    // [safetensors]
    const auto weights = pv::ones<float>({2, 3});
    pv::save_safetensors("layer.safetensors",
                         {{"weight", weights / 6.0F}, {"bias", pv::arange(2.)}},
                         {.metadata = {{"format", "pt"}}});
    const auto layer = pv::open_safetensors("layer.safetensors"); // mapped: only the header is read
    for (const auto& array : layer)                               // in the order in which they lie
        std::cout << array.name << ": " << array.type << ' ' << pv::to_string(array.shape) << '\n';
    const auto weight = layer.get<float>("weight"); // layer["weight"]: an AnyTensor
    // [/safetensors]
    check(layer.names() == std::vector<std::string>{"bias", "weight"}, "larger elements are first");
    check(weight(1, 2) == 1.0F / 6.0F && layer.metadata().at("format") == "pt", "what was saved");
    check_throws<pv::DtypeError>([&] { layer.get<float>("bias"); }, "'bias' holds float64");
}

int main() {
    a_vector();
    a_c_array();
    a_custom_deleter();
    a_mapped_file();
    a_saved_array();
    a_saved_model();
    return exit_status();
}
