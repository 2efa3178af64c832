"""The engines that compare what they choose of a text: sentences, terms, strings at chosen places, long substrings."""

from fingerprint.engines.boolean_model import BooleanModel
from fingerprint.engines.cops import Cops
from fingerprint.engines.engine import EngineEntry
from fingerprint.engines.erulemaking import ERulemaking
from fingerprint.engines.imatch import IMatch
from fingerprint.engines.koala import Koala
from fingerprint.engines.mdr import Mdr
from fingerprint.engines.nshash import NsHash, longest_sentence
from fingerprint.engines.punctuation_strings import PunctuationStrings, marks_engine
from fingerprint.engines.scam import Scam
from fingerprint.engines.sif import Sif
from fingerprint.engines.tfidf import TfIdf

ENTRIES = (
    EngineEntry(
        "longest-sentence",
        longest_sentence,
        NsHash.gives_spans,
        "digest of the longest sentence of a chapter",
        "一章中最长一句的摘要",
        "github.com/veelion/nshash, as the older rule",
    ),
    EngineEntry(
        "nshash",
        NsHash,
        NsHash.gives_spans,
        "digests of the 5 longest sentences of a chapter; one equal digest is enough",
        "一章中最长 5 句的摘要，有一句相同即为重复",
        "github.com/veelion/nshash",
    ),
    EngineEntry(
        "i-match",
        IMatch,
        IMatch.gives_spans,
        "one digest of the words that are neither common nor rare in the corpus",
        "对语料中不太常见也不太罕见的词求一个摘要",
        "Chowdhury et al., ACM TOIS 2002",
    ),
    EngineEntry(
        "punctuation-stops",
        PunctuationStrings,
        PunctuationStrings.gives_spans,
        "5 characters on each side of every full stop; longest common substring of these strings",
        "每个句号前后各 5 个字连成特征串，求最长公共子串",
        "Wu, Chen, Ma, 2003",
    ),
    EngineEntry(
        "punctuation-marks",
        marks_engine,
        PunctuationStrings.gives_spans,
        "the character before every punctuation mark; longest common substring of these strings",
        "每个标点前一个字连成特征串，求最长公共子串",
        "variant of Wu, Chen, Ma, 2003",
    ),
    EngineEntry(
        "tf-idf",
        TfIdf,
        TfIdf.gives_spans,
        "cosine of the 20 terms of highest tf-idf of a chapter",
        "一章中 tf-idf 最高的 20 个词的余弦",
        "Salton, Buckley, 1988",
    ),
    EngineEntry(
        "erulemaking",
        ERulemaking,
        ERulemaking.gives_spans,
        "buckets by length, the most repeated text as seed, cosine of all words with the seeds",
        "按长度分桶，以重复最多的文本为种子，再与种子比较余弦",
        "Yang, Callan, 2005",
    ),
    EngineEntry(
        "boolean",
        BooleanModel,
        BooleanModel.gives_spans,
        "sets of words that occur twice; at most a fifth of them may differ",
        "布尔向量异或：相异特征不超过五分之一，再按词频加权",
        "Lian, Liu, Xu, Cheng, 2007",
    ),
    EngineEntry(
        "sif",
        Sif,
        Sif.gives_spans,
        "checksums of the 50 characters that begin at chosen anchors; a quarter has to be shared",
        "从选定锚字起的 50 字窗口的校验和，四分之一相同即为相似",
        "Manber, USENIX 1994",
    ),
    EngineEntry(
        "cops",
        Cops,
        Cops.gives_spans,
        "the share of the page's sentences that the work has word for word",
        "页面句子中与作品完全相同的比例",
        "Brin, Davis, Garcia-Molina, SIGMOD 1995",
    ),
    EngineEntry(
        "scam",
        Scam,
        Scam.gives_spans,
        "asymmetric containment by words of similar frequency; one or several registries",
        "相对词频模型：词频相近之词的不对称包含度，可分多个登记库",
        "Shivakumar, Garcia-Molina, 1995",
    ),
    EngineEntry(
        "koala",
        Koala,
        Koala.gives_spans,
        "the 100 substrings of a chapter that begin with the rarest characters",
        "一章中以最罕见字对开头的 100 个子串",
        "Heintze, USENIX 1996",
    ),
    EngineEntry(
        "mdr",
        Mdr,
        Mdr.gives_spans,
        "every common substring of at least 20 characters",
        "所有不少于 20 字的公共子串",
        "Monostori, Zaslavsky, Schmidt, 2000",
    ),
)
