"""Arrays on devices."""

from purview import _core
from purview._core import asarray

__all__ = ["Device", "devices", "to_device"]


class Device(str):
    """The name of a device, "cuda:0", as functions take it: a text. What its driver calls it is `.name`, its memory in bytes `.memory_bytes`."""

    def __new__(cls, text, name="", memory_bytes=0):
        self = super().__new__(cls, text)
        self.name, self.memory_bytes = name, memory_bytes
        return self


def devices():
    """The devices that this machine has, of CUDA, then of OpenCL, in a tuple: none where there is no driver, or the module has no purview::gpu."""
    return tuple(Device(*each) for each in _core._devices())


def to_device(x, device, /, *, stream=None):
    """A copy of an array on a device, "cuda", "opencl:1", or "cpu", the memory of this process; the array itself if it is there.
    DeviceError, which lists what there is, for another one. A stream is one of CUDA's, by the array API's numbers."""
    return asarray(x).to_device(device, stream=stream)
