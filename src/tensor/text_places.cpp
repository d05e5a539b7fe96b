#include <purview/evaluation/evaluate.hpp>
#include <purview/tensor/text_places.hpp>

#include <algorithm>
#include <vector>

namespace purview::inline v0_1 {
namespace {

std::string place_in_words(const Shape& coordinates, std::span<const std::string> dims) {
    std::string place;
    for (std::size_t a = 0; a < dims.size(); ++a)
        place += (a > 0 ? ", " : "at ") + dims[a] + " = " + std::to_string(coordinates[a]);
    const Shape rest(coordinates.begin() + std::ssize(dims), coordinates.end());
    if (rest.empty()) return place;
    place += dims.empty() ? "at index " : ", index ";
    return place + (rest.size() == 1 ? std::to_string(rest[0]) : to_string(rest));
}

class PlacesInTensor final : public TextPlaces {
public:
    explicit PlacesInTensor(const Operand& texts) : texts_(texts) {}
    std::string place_of(std::string_view text) const override {
        return place_of_text(texts_, text);
    }

private:
    Operand texts_;
};

} // namespace

TextPlacesPtr places_in(const Operand& texts) {
    return std::make_shared<const PlacesInTensor>(texts);
}

std::string place_of_text(const Operand& texts, std::string_view text,
                          std::span<const std::string> dims) {
    const ShapeSpan shape = texts.dims.max_shape();
    if (shape.empty()) return {};
    const Evaluation evaluation(texts);
    std::vector<std::string> block(256);
    for (index_t done = 0; done < evaluation.size(); done += std::ssize(block)) {
        const index_t count = std::min<index_t>(evaluation.size() - done, std::ssize(block));
        evaluation.read(done, count, block.data());
        const auto found = std::find(block.begin(), block.begin() + count, text);
        if (found == block.begin() + count) continue;
        index_t index = done + (found - block.begin());
        Shape coordinates(shape.begin(), shape.end());
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            coordinates[axis] = index % shape[axis];
            index /= shape[axis];
        }
        return place_in_words(coordinates, dims);
    }
    return {};
}

} // namespace purview
