"""Pyramids that tiledb-bioimg creates from an OME-TIFF and a PNG, and the results of its slide reader."""
import os

import numpy as np
import tiledb
import tifffile
from PIL import Image
from tiledb.bioimg.converters.ome_tiff import OMETiffConverter
from tiledb.bioimg.converters.png import PNGConverter
from tiledb.bioimg.openslide import TileDBOpenSlide

from . import answers

HEIGHT, WIDTH = 90, 70


def slide(folder, name, out, interleaved=False):
    uri = os.path.join(folder, name)
    s = TileDBOpenSlide(uri)
    for level in range(s.level_count):
        at = '%s/l_%d.tdb' % (name, level)
        # WebP levels have two dimensions; the channels of a pixel are adjacent columns
        axes = ['Y', 'X'] if interleaved else ['Y', 'X', 'C']
        out.append(answers.grid('level', at, 'intensity', flat(s.read_level(level), interleaved), axes))
        out.append(answers.metadata('metadata', at, s.level_properties(level)))
        w, h, c = 10, 8, 3
        x, y = (int(5 * s.level_downsamples[level]), int(6 * s.level_downsamples[level])) if level else (5, 6)
        if level == 0:
            ranges = dict(Y=[y, y + h - 1], X=[x * c, (x + w) * c - 1]) if interleaved else dict(Y=[y, y + h - 1], X=[x, x + w - 1])
            out.append(answers.grid('region', at, 'intensity', flat(s.read_region((x, y), 0, (w, h)), interleaved), axes, **ranges))
    with tiledb.Group(uri) as g:
        out.append(answers.metadata('metadata', name, g.meta))
        out.append(answers.members('levels', name, [m.name for m in g]))


def flat(pixels, interleaved):
    return pixels.reshape(pixels.shape[0], -1) if interleaved else pixels


def write(folder):
    out = []
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    pixels = np.stack([(x * 3) % 256, (y * 2) % 256, (x * y) % 256]).astype('u1')
    tiff = os.path.join(folder, 'image.ome.tiff')
    with tifffile.TiffWriter(tiff) as t:
        t.write(pixels, subifds=2, photometric='minisblack', metadata={'axes': 'CYX', 'Channel': {'Name': ['red', 'green', 'blue']}, 'PhysicalSizeX': .5, 'PhysicalSizeXUnit': 'µm'})
        t.write(pixels[:, ::2, ::2], subfiletype=1)
        t.write(pixels[:, ::4, ::4], subfiletype=1)
    OMETiffConverter.to_tiledb(tiff, os.path.join(folder, 'pyramid.tdb'), tiles={'Y': 32, 'X': 32}, exclude_metadata=False)
    slide(folder, 'pyramid.tdb', out)

    png = os.path.join(folder, 'image.png')
    Image.fromarray(np.moveaxis(pixels, 0, -1)).save(png)
    webp = tiledb.WebpFilter(quality=100, lossless=True)
    PNGConverter.to_tiledb(png, os.path.join(folder, 'webp.tdb'), compressor=webp, pyramid_kwargs={'scale_factors': [2, 4]})
    slide(folder, 'webp.tdb', out, interleaved=True)

    wide = (pixels.astype('u2') * 257)[:, :33, :21]
    sixteen = os.path.join(folder, 'sixteen.ome.tiff')
    with tifffile.TiffWriter(sixteen) as t:
        t.write(wide, photometric='minisblack', metadata={'axes': 'CYX'})
    OMETiffConverter.to_tiledb(sixteen, os.path.join(folder, 'sixteen.tdb'), tiles={'Y': 16, 'X': 16}, pyramid_kwargs={'scale_factors': [2]})
    slide(folder, 'sixteen.tdb', out)
    return out
