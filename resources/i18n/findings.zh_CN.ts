<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Findings</name>
    <message>
        <source>Cause found</source>
        <translation>已找到原因</translation>
    </message>
    <message>
        <source>The cause is not in this log</source>
        <translation>原因不在这份日志中</translation>
    </message>
    <message>
        <source>Not a failure: a warning, or the engine recovered</source>
        <translation>不是故障：只是警告，或引擎已自行恢复</translation>
    </message>
    <message>
        <source>Started, and nothing failed</source>
        <translation>已正常启动，没有故障</translation>
    </message>
    <message>
        <source>Nothing found that Pitwall knows</source>
        <translation>没有发现 Pitwall 认识的问题</translation>
    </message>
    <message>
        <source>High confidence</source>
        <translation>把握高</translation>
    </message>
    <message>
        <source>Medium confidence</source>
        <translation>把握中</translation>
    </message>
    <message>
        <source>Low confidence</source>
        <translation>把握低</translation>
    </message>
    <message>
        <source>beside the log</source>
        <translation>日志之外</translation>
    </message>
    <message>
        <source>line {line}</source>
        <translation>第 {line} 行</translation>
    </message>
    <message>
        <source>The log is empty</source>
        <translation>日志为空</translation>
    </message>
    <message>
        <source>lines read: {count}</source>
        <translation>已读 {count} 行</translation>
    </message>
    <message>
        <source>starts in it: {count}</source>
        <translation>含 {count} 次启动</translation>
    </message>
</context>
<context>
    <name>FindingsView</name>
    <message>
        <source>Findings</source>
        <translation>诊断结果</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>复制为文本</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>Lines that name a fault Pitwall does not know</source>
        <translation>指明故障但 Pitwall 不认识的行</translation>
    </message>
    <message>
        <source>What to collect next</source>
        <translation>接下来需要收集</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>依据</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>如何处理</translation>
    </message>
    <message>
        <source>Change of the plan</source>
        <translation>方案改动</translation>
    </message>
    <message>
        <source>more lines in the copied text: {count}</source>
        <translation>复制的文本中还有 {count} 行</translation>
    </message>
    <message>
        <source>Show this line in the log</source>
        <translation>在日志中显示此行</translation>
    </message>
    <message>
        <source>Apply changed plan…</source>
        <translation>应用修改后的方案…</translation>
    </message>
    <message>
        <source>Copy remedy</source>
        <translation>复制处理办法</translation>
    </message>
    <message>
        <source>Sources:</source>
        <translation>来源：</translation>
    </message>
</context>
</TS>
