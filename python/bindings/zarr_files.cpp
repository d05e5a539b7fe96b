// Arrays in Zarr's formats. Of purview::zarr.

#ifdef PURVIEW_PYTHON_ZARR

# include "zarr_files.hpp"

# include "as_array.hpp"
# include "computing.hpp"
# include "dtypes.hpp"
# include "files.hpp"
# include "interpreter_lock.hpp"
# include "options.hpp"
# include "stored_files.hpp"
# include "text_caster.hpp"

# include <purview/zarr/create_zarr_group.hpp>
# include <purview/zarr/open_zarr.hpp>
# include <purview/zarr/save_zarr.hpp>

# include <nanobind/stl/optional.h>
# include <nanobind/stl/vector.h>

# include <optional>
# include <string>
# include <utility>
# include <vector>

namespace purview_python {
namespace {

constexpr pv::index_t kStore = 1 << 22; // of any size: a disk may take its time

pv::Shape shape_of(const std::vector<Py_ssize_t>& extents) {
    return {extents.begin(), extents.end()};
}

/// The name, the level, the compressor and the shuffling.
pv::ZarrCodec codec_of(const std::string& name, std::optional<int> level,
                       const std::string& compressor, const std::string& shuffle) {
    using Make = pv::ZarrCodec (*)(std::optional<int>);
    constexpr Named<Make> kMade[] = {
        {"zstd", [](std::optional<int> l) { return pv::ZarrCodec::zstd(l.value_or(3)); }},
        {"gzip", [](std::optional<int> l) { return pv::ZarrCodec::gzip(l.value_or(5)); }},
        {"zlib", [](std::optional<int> l) { return pv::ZarrCodec::zlib(l.value_or(5)); }},
        {"lz4", [](std::optional<int> l) { return pv::ZarrCodec::lz4(l.value_or(1)); }},
        {"crc32c", [](std::optional<int>) { return pv::ZarrCodec::crc32c(); }},
        {"blosc", nullptr}};
    constexpr Named<pv::Shuffle> kShuffles[] = {
        {"none", pv::Shuffle::none}, {"bytes", pv::Shuffle::bytes}, {"bits", pv::Shuffle::bits}};
    if (const Make make = named("save_zarr", "codecs", name, kMade)) return make(level);
    return pv::ZarrCodec::blosc(compressor, level.value_or(5),
                                named("save_zarr", "shuffle", shuffle, kShuffles));
}

} // namespace

void bind_zarr_files(nb::module_& module) {
    module.def("_open_zarr", [](const std::string& path, const std::string& access) {
        return stored_to_python([&] {
            const Unlocked unlocked;
            return pv::open_zarr_array(path, access_named("open_zarr", access));
        }());
    });
    nb::class_<pv::ZarrCodec>(module, "_ZarrCodec").def(nb::new_(&codec_of));
    nb::class_<pv::ZarrOptions>(module, "_ZarrOptions")
        .def(nb::new_([](const std::vector<Py_ssize_t>& chunks,
                         const std::vector<Py_ssize_t>& shards,
                         std::optional<std::vector<pv::ZarrCodec>> codecs, nb::handle fill,
                         std::vector<std::string> names, std::string attributes, int format,
                         bool overwrite) {
                 pv::ZarrOptions options;
                 options.chunks = shape_of(chunks);
                 options.shards = shape_of(shards);
                 if (codecs) options.codecs = *std::move(codecs);
                 if (!fill.is_none()) options.fill = pv::ZarrFill(as_array(fill));
                 options.dimension_names = std::move(names);
                 options.attributes =
                     pv::Attributes(pv::Attributes::Values(), std::move(attributes));
                 options.format = format;
                 options.overwrite = overwrite;
                 return options;
             }),
             nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg());
    module.def("_save_zarr",
               [](const std::string& path, nb::handle x, const pv::ZarrOptions& options) {
                   const Array array = as_array(x);
                   computing(kStore, [&] { pv::save_zarr(path, array, options); });
               });
    module.def("_create_zarr", [](const std::string& path, const std::vector<Py_ssize_t>& shape,
                                  nb::handle dtype, const pv::ZarrOptions& options) {
        const pv::DType type = dtype_of(dtype);
        const pv::Shape extents = shape_of(shape);
        computing(kStore, [&] { pv::create_zarr(path, type, extents, options); });
    });
    module.def("_append_zarr", [](const std::string& path, nb::handle x, int axis) {
        const Array array = as_array(x);
        computing(kStore, [&] { pv::append_zarr(path, array, axis); });
    });
    module.def("_create_zarr_group",
               [](const std::string& path, std::string attributes, int format) {
                   const Unlocked unlocked;
                   return pv::create_zarr_group(
                       path, {pv::Attributes::Values(), std::move(attributes)}, format);
               });
    module.def("_open_zarr_group", [](const std::string& path) {
        const Unlocked unlocked;
        return pv::open_zarr_group(path);
    });
}

} // namespace purview_python

#endif
