# The image of halo for CPUs: the tool, the C library and oneDNN on nothing else, run by a user without rights.
#   docker build -t halo --target cpu .
#   docker run --rm -v "$PWD":/work halo run /work/model.mlir random:1 --backend cpu
# With OpenBLAS beside oneDNN: --build-arg LIBRARIES="onednn openblas"
# For NVIDIA's GPUs, with NVRTC, cuBLAS, cuFFT, cuSOLVER and cuDNN of CUDA 12 beside; --build-arg CUDA=13 for a driver
# of that version, --build-arg NVIDIA="nvrtc cublas" for less; docs/cuda.md says how to keep what it compiles:
#   docker build -t halo-cuda --target cuda . && docker run --rm --gpus all halo-cuda doctor
#   docker run --rm --gpus all -v "$PWD":/work halo-cuda run /work/model.mlir random:1 --backend cuda
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go build -trimpath -ldflags='-s -w' -o /halo ./cmd/halo && scripts/licenses.sh /terms

FROM debian:12-slim AS root
ARG LIBRARIES=onednn
RUN apt-get update
WORKDIR /src
COPY LICENSE NOTICE ./
COPY scripts scripts
COPY --from=build /halo /halo
COPY --from=build /terms /terms
RUN LIBRARIES="$LIBRARIES" scripts/rootfs.sh /image /halo /terms

FROM root AS cuda-root
ARG CUDA=12
ARG LIBRARIES=onednn
ARG NVIDIA="nvrtc cublas cufft cusolver cudnn"
RUN apt-get install -y --no-install-recommends python3-pip
RUN CUDA="$CUDA" LIBRARIES="$LIBRARIES" NVIDIA="$NVIDIA" scripts/rootfs.sh /cuda-image /halo /terms

FROM scratch AS cuda
COPY --from=cuda-root /cuda-image /
# which parts of the driver the container gets; without a GPU the tool still runs on CPUs
ENV MALLOC_ARENA_MAX=2 NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
USER 65532:65532
WORKDIR /tmp
RUN ["/bin/halo", "doctor"]
ENTRYPOINT ["/bin/halo"]
CMD ["help"]

FROM scratch AS cpu
COPY --from=root /image /
# glibc makes an arena for each thread otherwise, which grows with the number of requests at a time
ENV MALLOC_ARENA_MAX=2
USER 65532:65532
WORKDIR /tmp
# the smoke test: the image is not built if halo cannot start in it
RUN ["/bin/halo", "doctor"]
ENTRYPOINT ["/bin/halo"]
CMD ["help"]
