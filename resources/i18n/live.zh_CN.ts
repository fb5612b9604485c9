<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>CompareButton</name>
    <message>
        <source>Deployments to look at</source>
        <translation>要查看的部署</translation>
    </message>
    <message>
        <source>Deployment</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>{name} and {count} more</source>
        <translation>{name} 及另外 {count} 个</translation>
    </message>
    <message>
        <source>One over the other</source>
        <translation>叠加显示</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>并排显示</translation>
    </message>
</context>
<context>
    <name>Live</name>
    <message>
        <source>GPU memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>GPU utilisation</source>
        <translation>GPU 利用率</translation>
    </message>
    <message>
        <source>GPU power</source>
        <translation>GPU 功耗</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>KV cache used</source>
        <translation>KV cache 使用率</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>ITL</source>
        <translation>ITL</translation>
    </message>
    <message>
        <source>GPU temperature</source>
        <translation>GPU 温度</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>used</source>
        <translation>已用</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>{reason}: {plots}</source>
        <translation>{reason}：{plots}</translation>
    </message>
    <message>
        <source>no deployment</source>
        <translation>没有部署</translation>
    </message>
    <message>
        <source>Nothing that could be measured is deployed on this host.</source>
        <translation>此主机上没有可供测量的部署。</translation>
    </message>
    <message>
        <source>not exposed by {engine}</source>
        <translation>{engine} 不提供此指标</translation>
    </message>
    <message>
        <source>not available on this host</source>
        <translation>此主机无法提供</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>没有响应</translation>
    </message>
    <message>
        <source>no value yet</source>
        <translation>尚无数据</translation>
    </message>
    <message>
        <source>It appears with the first value, for example after a request.</source>
        <translation>出现第一个数值后显示，例如在一次请求之后。</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>已启动</translation>
    </message>
    <message>
        <source>Revision {number}</source>
        <translation>第 {number} 版</translation>
    </message>
    <message>
        <source>Restart {number}</source>
        <translation>第 {number} 次重启</translation>
    </message>
    <message>
        <source>Alert</source>
        <translation>告警</translation>
    </message>
</context>
<context>
    <name>LivePage</name>
    <message>
        <source>1 min</source>
        <translation>1 分钟</translation>
    </message>
    <message>
        <source>1 h</source>
        <translation>1 小时</translation>
    </message>
    <message>
        <source>5 min</source>
        <translation>5 分钟</translation>
    </message>
    <message>
        <source>15 min</source>
        <translation>15 分钟</translation>
    </message>
    <message>
        <source>6 h</source>
        <translation>6 小时</translation>
    </message>
    <message>
        <source>24 h</source>
        <translation>24 小时</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>All GPUs</source>
        <translation>全部 GPU</translation>
    </message>
    <message>
        <source>Copy or save what is shown</source>
        <translation>复制或保存当前内容</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>复制为 CSV</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>保存为 CSV…</translation>
    </message>
    <message>
        <source>Save as picture…</source>
        <translation>保存为图片…</translation>
    </message>
    <message>
        <source>Loading the plots …</source>
        <translation>正在加载图表…</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Live values come over the host&apos;s connection: connect it first.</source>
        <translation>实时数据通过主机连接获取：请先连接。</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Back to now</source>
        <translation>回到现在</translation>
    </message>
    <message>
        <source>simulated visitors make load</source>
        <translation>负载来自模拟访客</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Save what is shown</source>
        <translation>保存当前内容</translation>
    </message>
    <message>
        <source>Saved as {file}</source>
        <translation>已保存为 {file}</translation>
    </message>
    <message>
        <source>Copied as CSV</source>
        <translation>已复制为 CSV</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
</context>
</TS>
