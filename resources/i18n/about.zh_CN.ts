<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>About</name>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
</context>
<context>
    <name>AboutPage</name>
    <message>
        <source>About Pitwall</source>
        <translation>关于 Pitwall</translation>
    </message>
    <message>
        <source>Copy versions</source>
        <translation>复制版本信息</translation>
    </message>
    <message>
        <source>The desk from which a solution engineer puts LLM inference engines onto GPU hosts, sees what they do, and can prove why.</source>
        <translation>解决方案工程师的工作台：把大模型推理引擎部署到 GPU 主机，看清运行情况，并能说明理由。</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>Pitwall is under the Apache License 2.0. Qt for Python and paramiko are used under the LGPL: they are separate files that you may replace with your own build.</source>
        <translation>Pitwall 采用 Apache License 2.0。Qt for Python 和 paramiko 依 LGPL 使用：它们是独立的文件，可以换成您自行构建的版本。</translation>
    </message>
    <message>
        <source>Parts</source>
        <translation>组成部分</translation>
    </message>
    <message>
        <source>Licence text</source>
        <translation>许可证全文</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
</context>
</TS>
